import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENT_VARIABLES, INTERNAL_VARIABLES } from '../../../src/cli/capabilities/environment.ts';
import { OUTPUTS } from '../../../src/cli/capabilities/outputs.ts';
import type { Capabilities } from '../../../src/cli/capabilities/document.ts';
import { EXIT } from '../../../src/cli/exit-codes.ts';
import { jsonOf, runCli } from '../../support/cli.ts';
import { ROOT, startDaemon } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function capabilities(): Promise<Capabilities> {
  using home = tempDir();
  return jsonOf(await runCli(['capabilities', '--json'], { home: home.path })) as unknown as Capabilities;
}

describe('capabilities', () => {
  test('capabilities: every command of the manifest says what it prints', () => {
    const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
      commands: object;
    };
    expect(Object.keys(commands).filter((id) => !Object.hasOwn(OUTPUTS, id))).toEqual([]);
  });

  test('capabilities: every KYCLONE_ variable of the sources is in the table', () => {
    const files = ['src', 'bin'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    );
    const named = new Set(files.flatMap((text) => text.match(/\bKYCLONE_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []));
    const known = [...Object.keys(ENVIRONMENT_VARIABLES), ...INTERNAL_VARIABLES];
    // A name that is put together from parts is no variable.
    const parts = [...named].filter((name) => known.some((whole) => whole.startsWith(`${name}_`)));
    expect([...named].filter((name) => !known.includes(name) && !parts.includes(name))).toEqual([]);
  });

  test('capabilities: names commands, exit codes and endpoints; every reference leads somewhere', async () => {
    const told = await capabilities();
    expect(told.name).toBe('kyclone');
    expect(told.commands.find(({ id }) => id === 'users delete')).toMatchObject({ destructive: true });
    expect(told.commands.find(({ id }) => id === 'users get')).toMatchObject({ destructive: false });
    expect(told.commands.map(({ id }) => id)).not.toContain('completion ids');
    expect(told.exit_codes.map(({ code }) => code)).toEqual([...Object.values(EXIT), 128]);
    const references = JSON.stringify(told.commands).match(/#\/output_schemas\/[a-z0-9_]+/g) ?? [];
    const names = new Set(references.map((reference) => reference.split('/').at(-1) ?? ''));
    expect([...names].filter((name) => !Object.hasOwn(told.output_schemas, name))).toEqual([]);
    expect(Object.keys(told.output_schemas).filter((name) => !names.has(name))).toEqual([]);
    expect(JSON.stringify(told.commands)).not.toContain('<%=');
  });

  test('capabilities: people get an overview without escape sequences in a pipe', async () => {
    using home = tempDir();
    const { code, stdout, stderr } = await runCli(['capabilities'], { home: home.path });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('users create');
    expect(stdout).not.toContain('\u001b');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('capabilities: what commands really print fits their schemas', { timeout: 120_000 }, async () => {
    await using daemon = await startDaemon();
    const { home } = daemon;
    const told = await capabilities();
    const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
    ajv.addSchema({ $id: 'kyclone', output_schemas: told.output_schemas });
    const run = async (id: string, ...args: string[]) => {
      const outcome = await runCli([...id.split(' '), ...args, '--json'], { home });
      expect([id, outcome.code, outcome.stderr]).toEqual([id, 0, '']);
      const command = told.commands.find((each) => each.id === id);
      const text = JSON.stringify(command?.output.schema).replaceAll('#/', 'kyclone#/');
      const validate = ajv.compile(JSON.parse(text) as object);
      expect([id, validate(JSON.parse(outcome.stdout)), validate.errors]).toEqual([id, true, null]);
      return jsonOf(outcome);
    };
    const { id } = await run('users create', 'id.first_name=Jane', 'id.last_name=Doe');
    const user = String(id);
    await run('users get', user);
    await run('users list');
    await run('vault set', user, 'id.dob=1988-12-30');
    await run('vault get', user);
    await run('vault decrypt', user, 'id.dob', '--reason', 'test');
    await run('users token', user, '--scope', 'vault', '--field', 'id.dob');
    await run('tokens list', user);
    await run('users tag', user, 'vip');
    await run('users label', user, 'active');
    await run('playbooks list');
    await run('outcomes add', 'pass', '--external-id', 'vip-*');
    await run('keys list');
    await run('keyring status');
    await run('audit list');
    await run('audit verify');
    await run('clock show');
    await run('clock freeze');
    await run('bank link', '--user', user);
    await run('bank personas list');
    await run('bank personas show', 'default');
    await run('status');
    await run('env');
    await run('transform', 'to_uppercase', 'jane');
    await run('completion print', '--shell', 'fish');
    await run('capabilities');
    await run('users delete', user, '--yes');
  });
});
