/**
 * Text for people, the form of a result that `--output`, `--json` (the same as `--output json`) and `--field` choose,
 * and progress.
 *
 * Every value goes through `printable`, because it came from an API caller and could contain terminal control
 * sequences. The functions here apply it to each cell, so that a view can't forget it.
 */
import { attempt } from '../../kernel/attempt.ts';
import { fstatSync } from 'node:fs';
import { styleText } from 'node:util';
import { jsonText } from '../../kernel/text/json.ts';
import { displayWidth, printable, printableJson, printableLines } from '../../kernel/text/terminal-text.ts';
import { parsePath, type Path, fieldLines, idOf, idsOf } from './select.ts';
import { UsageError } from './failure.ts';
import { MIB } from '../../kernel/numbers/units.ts';
import { canRedraw, wantsColour } from './environment.ts';

export { displayWidth, printable };

export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  /** Columns of a line; a screen's by default. Infinite for programs: a row is one line. */
  readonly width?: number;
  /** Columns of the terminal, for a table that leaves out columns that don't fit. */
  readonly screen?: number;
}

/** Whether people see stdout and stderr as one text: both go to one place, or stdout to a pipe beside a terminal. */
export function isStdoutSeenWithStderr(): boolean {
  try {
    const [out, error] = [fstatSync(1), fstatSync(2)];
    const isOnePlace = out.dev === error.dev && out.ino === error.ino;
    return isOnePlace || (process.stderr.isTTY && !out.isFile());
  } catch {
    // One of them is closed.
    return false;
  }
}

const asIs = (text: string) => text;
export const PLAIN: Style = { bold: asIs, dim: asIs, good: asIs, bad: asIs, warn: asIs };
export const COLOURED: Style = {
  bold: (text) => styleText('bold', text),
  dim: (text) => styleText('dim', text),
  good: (text) => styleText('green', text),
  bad: (text) => styleText('red', text),
  warn: (text) => styleText('yellow', text),
};

/** For text on stderr. */
export function errorStyle(): Style {
  return wantsColour(process.stderr) ? COLOURED : PLAIN;
}

/** A view turns a result into lines for people. It is pure and tested alone. */
export type View<Result> = (result: Result, style: Style) => string;

export const OUTPUTS = ['table', 'json', 'yaml', 'id'] as const;
export type OutputKind = (typeof OUTPUTS)[number];

export interface OutputChoice {
  readonly kind: OutputKind | 'field';
  /** The paths of `--field`, in order. */
  readonly paths: readonly Path[];
}

export const TABLE: OutputChoice = { kind: 'table', paths: [] };

interface OutputFlags {
  readonly json?: boolean;
  readonly output?: string | undefined;
  readonly field?: readonly string[] | undefined;
}

/** Throws UsageError for contradictory flags and for an invalid path. */
export function chooseOutput({ json = false, output, field = [] }: OutputFlags): OutputChoice {
  if (json && output !== undefined && output !== 'json')
    throw new UsageError('--json and --output contradict each other; use one of them');
  if (field.length > 0) {
    if (json || (output !== undefined && output !== 'table'))
      throw new UsageError('--field prints members as text and excludes other output formats');
    return { kind: 'field', paths: field.map(parsePath) };
  }
  return { kind: json ? 'json' : ((output ?? 'table') as OutputKind), paths: [] };
}

/** Whether JSON is requested before a `--` that ends the flags. Works even if the rest can't be parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  return flags.some(
    (word, at) =>
      word === '--json' || word === '--output=json' || (word === '--output' && flags[at + 1] === 'json'),
  );
}

export interface Progress {
  readonly update: (bytes: number) => void;
  /** Removes the bar; may be called more than once. */
  readonly end: () => void;
}

const LEAST_BYTES = MIB;
export const NO_PROGRESS: Progress = { update: () => undefined, end: () => undefined };

/** Shows a bar on stderr for a slow transfer, if a user can see it. */
export async function showProgress({
  title,
  bytes = 0,
  isWanted,
}: {
  title: string;
  bytes: number | undefined;
  isWanted: boolean;
}): Promise<Progress> {
  if (!isWanted || bytes < LEAST_BYTES || !canRedraw(process.stderr)) return NO_PROGRESS;
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format: `${title} [{bar}] {percentage}% of ${(bytes / MIB).toFixed(1)} MiB`,
    barsize: 30,
    stream: process.stderr,
    clearOnComplete: true,
    // The library cuts the bar to the width. A terminal mode would do that too, but a signal could leave it set.
    linewrap: true,
  });
  bar.start(bytes, 0);
  return { update: (done) => bar.update(done), end: () => bar.stop() };
}

// A result as data: the text that `--output json`, `yaml`, `id` and `--field` print.

/**
 * The `yaml` package is loaded on request only, but `print` is synchronous, so the writer is created before a command
 * runs.
 */
export interface DataWriter {
  /** The whole result; undefined if there is nothing to print. */
  whole(result: unknown): string | undefined;
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
      return { whole: (result) => json(result, isTerminal ? 2 : undefined), entry: (thing) => json(thing) };
    case 'id':
      return { whole: (result) => shown(idsOf(result)), entry: (thing) => shown([idOf(thing) ?? []].flat()) };
    case 'field':
      return {
        whole: (result) => shown(fieldLines(result, paths)),
        // Items of a stream differ: one without the members is left out.
        entry: (thing) => shown(attempt(() => fieldLines(thing, paths)) ?? []),
      };
    case 'yaml': {
      const { yamlText } = await import('./yaml-text.ts');
      const yaml = (value: unknown) => yamlText(value, isTerminal);
      return { whole: yaml, entry: (thing) => `---\n${yaml(thing)}` };
    }
  }
}
