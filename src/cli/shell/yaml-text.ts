/**
 * YAML: writes plain data as text and parses project files. Loaded only if YAML is needed, because the package is
 * slow to load.
 */
import { withMarks, withoutMarks } from '../../kernel/text/json.ts';
import { Document, visit, LineCounter, parseDocument } from 'yaml';
import { isPrintable, printableLines } from '../../kernel/text/terminal-text.ts';
import { UsageError } from './failure.ts';

/** Whether a YAML 1.1 reader refuses the text outside of quotes. */
function needsQuotes(text: string): boolean {
  return text === '=' || (text.includes('\t') && !text.includes('\n')) || text.search(NO_YAML) !== -1;
}

/** Characters that it refuses, or takes for a line end, in quotes, too. */
const NO_YAML = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * Plain data as YAML: only what JSON supports, no anchors for repeated values, and nothing that an older parser takes
 * for a boolean. For a terminal, texts with control or direction characters are in double quotes, with escapes that
 * YAML reads as the same text. Without a final line end.
 */
export function yamlText(value: unknown, isTerminal: boolean): string {
  const plain = JSON.parse(withMarks(() => JSON.stringify(value))) as unknown;
  const document = new Document(plain, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Scalar(_, node) {
      const { value: text } = node;
      if (typeof text !== 'string') return;
      if (needsQuotes(text) || (isTerminal && !isPrintable(text.replaceAll('\n', ''))))
        node.type = 'QUOTE_DOUBLE';
    },
  });
  // All that ends the text but one line end belongs to the last value.
  const text = withoutMarks(document.toString({ lineWidth: 0 }).replace(/\n$/, '')).replace(
    NO_YAML,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  // The remaining characters are in double quotes, where these escapes are valid YAML.
  return isTerminal ? yamlEscapes(printableLines(text)) : text;
}

/** Beyond 16 bits YAML uses eight digits. */
function yamlEscapes(text: string): string {
  return text.replace(/\\u\{(e00[0-7][0-9a-f])\}/g, '\\U000$1');
}

/** Enough for any file that people write, but too few for a file that expands to fill the memory. */
const MOST_ALIASES = 50;

/** Throws UsageError, which names the line and not its content. */
export function parseYaml(text: string, file: string): unknown {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) {
      const what = problem.code === 'DUPLICATE_KEY' ? 'has a member twice' : 'is not plain YAML';
      throw new UsageError(`${file} ${what}, line ${lines.linePos(problem.pos[0]).line}`);
    }
    const value: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    return value ?? {};
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is YAML that nests or repeats itself too much`);
  }
}
