import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  ENVIRONMENT_VARIABLES,
  outputsOf,
  type Capabilities,
} from '../../../src/cli/capabilities/document.ts';
import { EXIT } from '../../../src/cli/shell/exit-codes.ts';
import { jsonOf } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { builtCommands, ROOT } from '../../support/root.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function capabilities(): Promise<Capabilities> {
  using home = tempDir();
  return jsonOf(
    await runInProcess(['capabilities', '--json'], { home: home.path }),
  ) as unknown as Capabilities;
}

describe('capabilities', () => {
  test('capabilities: every command of the manifest declares its output', () => {
    const undeclared = Object.values(builtCommands()).filter((command) => outputsOf(command).length === 0);
    expect(undeclared.map(({ id }) => id)).toEqual([]);
  });

  test('capabilities: every KYCLONE_ variable of the sources is in the table', () => {
    const files = ['src', 'bin'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    const named = new Set(files.flatMap((text) => text.match(/\bKYCLONE_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []));
    const known = Object.keys(ENVIRONMENT_VARIABLES);
    // A name that code puts together from parts is not a variable.
    const parts = [...named].filter((name) => known.some((whole) => whole.startsWith(`${name}_`)));
    expect([...named].filter((name) => !known.includes(name) && !parts.includes(name))).toEqual([]);
  });

  test('capabilities: names commands, exit codes and endpoints; every reference leads somewhere', async () => {
    const document = await capabilities();
    expect(document.name).toBe('kyclone');
    expect(document.commands.find(({ id }) => id === 'users delete')).toMatchObject({ destructive: true });
    expect(document.commands.find(({ id }) => id === 'users get')).toMatchObject({ destructive: false });
    expect(document.commands.map(({ id }) => id)).not.toContain('completion ids');
    expect(document.exit_codes.map(({ code }) => code)).toEqual([...Object.values(EXIT), 128]);
    for (const [id, isOffered] of [
      ['users get', true],
      ['fixtures run', true],
      ['exec', false],
      ['faults presets', false],
    ] as const) {
      const command = document.commands.find((each) => each.id === id);
      expect([id, command?.dry_run]).toEqual([id, isOffered]);
      expect(JSON.stringify(command?.flags).includes('"dry-run"')).toBe(isOffered);
    }
    // Only `kyclone api`, which calls any path, has no schema for its output.
    expect(JSON.stringify(document.commands).split('output_schemas/any"')).toHaveLength(2);
    const references = JSON.stringify(document.commands).match(/#\/output_schemas\/[a-z0-9_]+/g) ?? [];
    const names = new Set(references.map((reference) => reference.split('/').at(-1) ?? ''));
    expect([...names].filter((name) => !Object.hasOwn(document.output_schemas, name))).toEqual([]);
    expect(Object.keys(document.output_schemas).filter((name) => !names.has(name))).toEqual([]);
    expect(JSON.stringify(document.commands)).not.toContain('<%=');
  });
});
