/** `kyclone snapshot`, with the real binary and real daemons. */
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { tempDir } from '../../support/temp-dir.ts';

const daemon = useDaemon({ isDurable: true });
const { run: cli } = cliIn(() => daemon().home);
const { run: snapshot } = cliIn(() => daemon().home, 'snapshot');
const userOf = async (name: string) =>
  String(jsonOf(await cli(`users create id.first_name=${name} --json`))['id']);
const listed = async () =>
  (jsonOf(await snapshot('list --json'))['data'] as { name: string }[]).map(({ name }) => name);

describe('snapshot', () => {
  test.each([
    [['gone/by-slash'], 'SNAPSHOT', 'a name has no slash'],
    [['--file', 'gone/by-flag.kysnap'], '--file', 'create the folder first'],
    [['named', '--file', 'gone/both.kysnap'], '--file', 'create the folder first'],
  ])('snapshot create %j: reports a missing folder before saving', async (argv, where, hint) => {
    const before = await listed();
    const refused = await snapshot(['create', ...argv]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`${where} is a file in a folder that does not exist; nothing was saved`);
    expect(refused.stderr).toContain(hint);
    expect(refused.stderr).not.toMatch(/ENOENT|gone/);
    expect(await listed()).toEqual(before);
    expect(existsSync(join(daemon().home, 'gone'))).toBe(false);
  });

  test('snapshot create, load: a file, by --file or as its path, for its owner alone', async () => {
    const id = await userOf('Canary-73');
    const file = join(daemon().home, 'carried.kysnap');
    const saved = await snapshot('save ./carried.kysnap --json');
    expect(saved.code).toBe(0);
    expect(jsonOf(saved)).toHaveProperty('schema');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file).includes('Canary')).toBe(false);
    const before = readFileSync(file);
    expect((await snapshot(`save --file ${file}`)).code).toBe(2);
    expect(readFileSync(file).equals(before)).toBe(true);
    const environment = { KYCLONE_SNAPSHOT_KEY: 'a'.repeat(64) };
    const both = await snapshot(`save both --file ${file} --overwrite`, { environment });
    expect(both).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not with the one given here') as string,
    });
    expect(saved.stderr).not.toContain('given here');
    await cli(`users delete ${id} --yes`);

    expect((await snapshot(`load --file ${file} --yes`)).code).toBe(0);

    const shown = await cli(['vault', 'decrypt', id, 'id.first_name', '--reason', 'a test']);
    expect(shown.stdout).toContain('Canary-73');
    expect((await listed()).some((name) => name.startsWith('file-'))).toBe(false);
    expect((await snapshot(`load one --file ${file} --yes`)).code).toBe(2);
    expect((await snapshot('load --yes')).code).toBe(2);
  });

  test('snapshot diff: between names, files and now; names, no values', async () => {
    const id = await userOf('Canary-75');
    await snapshot('save three');
    await snapshot('save ./three.kysnap');
    await cli(`vault set ${id} id.email=canary@example.com`);
    await snapshot('save four');
    const added = [
      { id, change: 'changed', identifiers: { added: ['id.email'], removed: [], changed: [] }, also: [] },
    ];
    for (const between of [['three'], ['three', 'four'], ['./three.kysnap'], ['./three.kysnap', 'four']]) {
      const diff = await snapshot(['diff', ...between, '--json']);
      expect(jsonOf(diff)).toMatchObject({ from: between[0], to: between[1] ?? '', entities: added });
      const plain = await snapshot(['diff', ...between]);
      expect(plain.stdout).toContain('id.email');
      expect(plain.stdout).not.toContain('example.com');
    }
    expect((await snapshot('diff four --json')).stdout).toContain('"entities":[]');
    expect((await snapshot('diff three nobody')).code).toBe(6);
  });

  test('snapshot create: a file comes with the place of its key, and a new key is called new', async () => {
    const key = join(daemon().home, 'config', 'snapshot.key');
    rmSync(key, { force: true });
    const made = await snapshot('create ./keyed.kysnap --overwrite');
    expect(made.stderr).toContain(`the key in ${key}, which is new: keep a copy apart`);
    const again = await snapshot('create ./keyed.kysnap --overwrite');
    expect(again.stderr).toContain(`the key in ${key}, unless`);
    expect(again.stderr + made.stderr).not.toContain(readFileSync(key, 'utf8').split('\n')[1]);
  });

  test('start --import --export-on-exit: a relative path is that of the caller; kyclone stop waits for it', async () => {
    using folder = tempDir();
    const home = folder.path;
    const run = (...argv: string[]) => runInProcess(argv, { home });
    const options = ['--ephemeral', '--port', '0', '--import', 'state.kysnap', '--export-on-exit'];
    expect((await run('start', '-d', ...options)).code).toBe(0);
    const id = String(jsonOf(await run('users', 'create', 'id.first_name=Canary-76', '--json'))['id']);
    expect((await run('stop')).code).toBe(0);
    expect(existsSync(join(home, 'state.kysnap'))).toBe(true);

    const exec = await run(
      'exec',
      '--import',
      'state.kysnap',
      '--export-on-exit',
      'later.kysnap',
      '--',
      process.execPath,
      '-e',
      `fetch(process.env.KYCLONE_BASE_URL + '/users/${id}', { headers: { 'x-service-secret-key': process.env.KYCLONE_API_KEY } })
        .then(({ status }) => process.exit(status === 200 ? 7 : 1))`,
    );
    expect(exec).toMatchObject({ code: 7 });
    expect(statSync(join(home, 'later.kysnap')).mode & 0o777).toBe(0o600);
  });
});
