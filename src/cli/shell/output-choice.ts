/** What a result is printed as: `--output`, `--json` (the same as `--output json`) and `--field`. */
import { parsePath, type Path } from './select/path.ts';
import { UsageError } from './failure.ts';

export const OUTPUTS = ['table', 'json', 'yaml', 'id'] as const;
export type OutputKind = (typeof OUTPUTS)[number];

export interface OutputChoice {
  readonly kind: OutputKind | 'field';
  /** Of `--field`, in order. */
  readonly paths: readonly Path[];
}

export const TABLE: OutputChoice = { kind: 'table', paths: [] };

interface OutputFlags {
  readonly json?: boolean;
  readonly output?: string | undefined;
  readonly field?: readonly string[] | undefined;
}

/** Throws UsageError where they contradict each other, or where a path is none. */
export function chooseOutput({ json = false, output, field = [] }: OutputFlags): OutputChoice {
  if (json && output !== undefined && output !== 'json')
    throw new UsageError('--json and --output say different things; one of them is enough');
  if (field.length > 0) {
    if (json || (output !== undefined && output !== 'table'))
      throw new UsageError('--field prints members as text; it goes with no other output');
    return { kind: 'field', paths: field.map(parsePath) };
  }
  return { kind: json ? 'json' : ((output ?? 'table') as OutputKind), paths: [] };
}

/** Whether JSON is asked for before a `--` that ends the flags; also known when the rest can't be parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  return flags.some(
    (word, at) =>
      word === '--json' || word === '--output=json' || (word === '--output' && flags[at + 1] === 'json'),
  );
}
