/** What a machine can refuse the CLI, and the check that a command reports it precisely. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CliOptions, CliOutcome } from './cli.ts';
import { tempDir } from './temp-dir.ts';

export type Setting = Pick<CliOptions, 'environment' | 'cwd' | 'under'>;
export type ExpectedFailure = readonly [exitCode: number, says: RegExp];
export interface Refusal {
  readonly what: string;
  readonly prepare: (folder: string) => Setting;
  /** The expected message by command line. Any other command must only not fail unexpectedly. */
  readonly says: Readonly<Record<string, ExpectedFailure>>;
}

export const START = 'start -d --port 0';
export const SET = 'config set seed x';

/** These commands run in every case, also without an expectation. */
const ALWAYS = ['status', 'doctor', 'config list'];

/** Runs the commands in a new folder. */
export async function expectPreciseReports(
  { prepare, says }: Refusal,
  run: (argv: readonly string[], options: CliOptions) => Promise<CliOutcome>,
): Promise<void> {
  using folder = tempDir();
  chmodSync(folder.path, 0o755);
  const options = { home: join(folder.path, 'home'), cwd: folder.path, ...prepare(folder.path) };
  for (const command of new Set([...Object.keys(says), ...ALWAYS])) {
    const { code, stdout, stderr } = await run(command.split(' '), options);
    const output = stdout + stderr;
    expect.soft(output, command).not.toMatch(/Unexpected failure|internal_error/);
    expect.soft(output, command).not.toMatch(/^\s+at .*:\d+:\d+|node:internal|SystemError|TypeError/m);
    const expected = says[command];
    if (expected === undefined) continue;
    expect.soft(output, command).toMatch(expected[1]);
    expect.soft(code, command).toBe(expected[0]);
  }
}

export function inHome(path: string): Setting {
  return { environment: { KYCLONE_HOME: path } };
}

export function withPreferences(folder: string, text: string): Setting {
  mkdirSync(join(folder, 'home', 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'home', 'config', 'config.json'), text, { mode: 0o600 });
  return inHome(join(folder, 'home'));
}
