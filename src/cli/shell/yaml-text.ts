import { Document, visit } from 'yaml';
import { isPrintable, printableLines } from '../../kernel/terminal-text.ts';

/**
 * Plain data as YAML: what JSON has of it, no anchors for what occurs twice, and nothing that an older reader takes for
 * a truth value. For a terminal, texts with control or direction characters stand in double quotes, with escapes that
 * YAML reads as the same text. No final line end.
 */
export function yamlText(value: unknown, isTerminal: boolean): string {
  const plain = JSON.parse(JSON.stringify(value)) as unknown;
  const document = new Document(plain, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  if (isTerminal) {
    visit(document, {
      Scalar(_, node) {
        const { value: text } = node;
        if (typeof text === 'string' && !isPrintable(text.replaceAll('\n', ''))) node.type = 'QUOTE_DOUBLE';
      },
    });
  }
  const text = document.toString({ lineWidth: 0 }).trimEnd();
  // What is left stands in double quotes, where these escapes are YAML's own.
  return isTerminal ? yamlEscapes(printableLines(text)) : text;
}

/** Beyond 16 bits YAML writes eight digits. */
function yamlEscapes(text: string): string {
  return text.replace(/\\u\{(e00[0-7][0-9a-f])\}/g, '\\U000$1');
}
