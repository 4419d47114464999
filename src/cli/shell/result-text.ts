/** A result as data: the text that `--output json`, `yaml`, `id` and `--field` print. */
import { jsonText } from '../../kernel/json.ts';
import { printableJson, printableLines } from '../../kernel/terminal-text.ts';
import type { OutputChoice } from './output.ts';
import { fieldLines, idOf, idsOf } from './select.ts';

/**
 * The `yaml` package is loaded on request only, but `print` is synchronous, so the writer is created before a command
 * runs.
 */
export interface DataWriter {
  /** The whole result; undefined if there is nothing to print. */
  whole(result: unknown): string | undefined;
  /** One item of a stream. */
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
  // Undefined if there is no result.
  const json = (value: unknown, indentation?: number) => {
    const text = value === undefined ? undefined : jsonText(value, indentation);
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

/** Items of a stream differ: one without the members is left out. */
function fieldsOfEntry(thing: unknown, paths: OutputChoice['paths']): string[] {
  try {
    return fieldLines(thing, paths);
  } catch {
    return [];
  }
}
