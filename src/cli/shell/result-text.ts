/** A result as data: the text that `--output json`, `yaml`, `id` and `--field` print. */
import { printableJson, printableLines } from '../../kernel/terminal-text.ts';
import type { OutputChoice } from './output.ts';
import { fieldLines, idOf, idsOf } from './select.ts';

/** `yaml` is loaded only on request, but `print` can't wait for it: hence this is made before a command runs. */
export interface DataWriter {
  /** All of a result; undefined where nothing is to be printed. */
  whole(result: unknown): string | undefined;
  /** One thing of a stream. */
  entry(thing: unknown): string | undefined;
}

/** Undefined for a table. */
export async function dataWriter(
  { kind, paths }: OutputChoice,
  isTerminal: boolean,
): Promise<DataWriter | undefined> {
  const shown = (lines: readonly string[]) =>
    lines.length === 0
      ? undefined
      : lines.map((line) => (isTerminal ? printableLines(line) : line)).join('\n');
  // Undefined for a result that is none.
  const json = (value: unknown, indentation?: number) => {
    const text = JSON.stringify(value, null, indentation) as string | undefined;
    return isTerminal && text !== undefined ? printableJson(text) : text;
  };
  switch (kind) {
    case 'table':
      return undefined;
    case 'json':
      return {
        whole: (result) => json(result, isTerminal ? 2 : undefined),
        entry: (thing) => json(thing),
      };
    case 'id':
      return {
        whole: (result) => shown(idsOf(result)),
        entry: (thing) => shown([idOf(thing) ?? []].flat()),
      };
    case 'field':
      return {
        whole: (result) => shown(fieldLines(result, paths)),
        entry: (thing) => shown(fieldsOfEntry(thing, paths)),
      };
    case 'yaml': {
      const { yamlText } = await import('./yaml-text.ts');
      const yaml = (value: unknown) => yamlText(value, isTerminal);
      return { whole: yaml, entry: (thing) => `---\n${yaml(thing)}` };
    }
  }
}

/** Things of a stream differ: one that doesn't have the members is left out. */
function fieldsOfEntry(thing: unknown, paths: OutputChoice['paths']): string[] {
  try {
    return fieldLines(thing, paths);
  } catch {
    return [];
  }
}
