import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { ENVIRONMENT_VARIABLES, type Capabilities } from '../../../src/cli/capabilities/document.ts';
import { outputsOf } from '../../../src/cli/capabilities/outputs.ts';
import { EXIT } from '../../../src/cli/shell/exit-codes.ts';
import { jsonOf } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { ROOT, startDaemon } from '../../support/daemon.ts';
import { writeExampleFiles } from '../../support/example-world.ts';
import { tempDir } from '../../support/temp-dir.ts';

async function capabilities(): Promise<Capabilities> {
  using home = tempDir();
  return jsonOf(
    await runInProcess(['capabilities', '--json'], { home: home.path }),
  ) as unknown as Capabilities;
}

describe('capabilities', () => {
  test('capabilities: every command of the manifest declares its output', () => {
    const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
      commands: Readonly<Record<string, { id: string; endpoint?: string }>>;
    };
    const undeclared = Object.values(commands).filter((command) => outputsOf(command).length === 0);
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

  test('capabilities: people get an overview without escape sequences in a pipe', async () => {
    using home = tempDir();
    const { code, stdout, stderr } = await runInProcess(['capabilities'], { home: home.path });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('users create');
    expect(stdout).not.toContain('\u001b');
    expect(stdout, 'a row is a line').toMatch(/^users create +Create a user vault.*$/m);
  });

  test('capabilities: what commands really print fits their schemas', async () => {
    await using daemon = await startDaemon();
    const { home } = daemon;
    const document = await capabilities();
    const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
    ajv.addSchema({ $id: 'kyclone', output_schemas: document.output_schemas });
    const run = async (id: string, ...args: string[]) => {
      const outcome = await runInProcess([...id.split(' '), ...args, '--json'], { home });
      expect([id, outcome.code, outcome.stderr]).toEqual([id, 0, '']);
      const command = document.commands.find((each) => each.id === id);
      const text = JSON.stringify(command?.output.schema).replaceAll('#/', 'kyclone#/');
      const validate = ajv.compile(JSON.parse(text) as object);
      const isLines = command?.output.format === 'ndjson';
      const texts = isLines ? outcome.stdout.trimEnd().split('\n') : [outcome.stdout];
      for (const text of texts)
        expect([id, validate(JSON.parse(text)), validate.errors]).toEqual([id, true, null]);
      return JSON.parse(texts[0] ?? '') as Record<string, unknown>;
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
    await run('outcomes create', 'pass', '--external-id', 'vip-*');
    await run('keys list');
    await run('keyring status');
    await run('audit list');
    await run('audit verify');
    await run('clock get');
    await run('clock freeze');
    await run('bank link', '--user', user);
    await run('bank personas list');
    await run('bank personas get', 'default');
    await run('status');
    await run('env');
    await run('transform', 'to_uppercase', 'jane');
    await run('completion print', '--shell', 'fish');
    await run('capabilities');
    await run('wait');
    await run('doctor');
    await run('config list');
    await run('businesses create', 'business.name=Acme');
    await run('businesses list');
    await run('users documents', user);
    await run('users duplicates', user);
    await run('onboardings list', user);
    await run('decisions list', user);
    await run('risk-signals catalogue');
    await run('webhooks list');
    await run('webhooks events');
    await run('webhooks deliveries');
    await run('faults presets');
    const fault = await run('faults create', '--path', '/nowhere', '--preset', 'down');
    expect(fault['id']).toMatch(/^flt_/);
    await run('faults list');
    await run('faults delete');
    await run('record start');
    await run('record status');
    await run('fake user', '--count', '2');
    expect((await run('fake user', '--count', '2', '--create'))['id']).toMatch(/^fp_id_/);
    await run('fake business', '--create');
    await run('record stop', '--out', join(home, 'recorded.yaml'));
    writeExampleFiles(home, '');
    await run('fixtures check', join(home, 'seed.yaml'), join(home, 'recorded.yaml'));
    await run('fixtures run', join(home, 'seed.yaml'), join(home, 'orders.yaml'));
    const { data } = await run('requests list');
    await run('requests get', (data as { id: string }[])[0]?.id ?? '');
    await run('requests delete', '--yes');
    await run('snapshot create', 'one');
    await run('snapshot list');
    await run('snapshot get', 'one');
    await run('users delete', user, '--yes');
    await run('snapshot diff', 'one');
    await run('snapshot load', 'one', '--yes');
    await run('snapshot delete', 'one', '--yes');
    await run('reset', '--yes');
    await run('init');
  });
});
