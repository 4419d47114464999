/** The project file through the real binary: which instance it selects, and how that instance starts. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf, runCli, type CliOptions } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { ROOT, startDaemon } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

const CONFIG = 'kyclone.config.yaml';

/** Makes a home with folders in it; instances that run there are stopped at the end. */
function projects() {
  const folder = tempDir();
  const started = new Set<string>();
  const run = async (argv: readonly string[], cwd = folder.path, options: Partial<CliOptions> = {}) => {
    // The command that `exec` runs writes to the stdout of a process.
    const runs = argv[0] === 'exec' ? runCli : runInProcess;
    const ran = await runs(argv, { home: folder.path, cwd, ...options });
    if (argv[0] === 'start' && ran.code === 0) started.add(String(jsonOf(ran)['instance']));
    return ran;
  };
  const make = (name: string, config?: string) => {
    const path = join(folder.path, name);
    mkdirSync(path, { recursive: true });
    if (config !== undefined) writeFileSync(join(path, CONFIG), config);
    return path;
  };
  return {
    path: folder.path,
    run,
    make,
    async [Symbol.asyncDispose]() {
      for (const name of started) await run(['stop', '--instance', name]);
      folder[Symbol.dispose]();
    },
  };
}

const START = ['start', '-d', '--json'];

describe('the project file', () => {
  test('start: two projects at once, each with an instance, a port and settings of its own', async () => {
    await using home = projects();
    const [one, two] = [
      home.make('a/shop', 'ephemeral: true\nsettings:\n  egress.policy: strict\n'),
      home.make('b/shop', 'ephemeral: true\nclock: 2026-01-31T12:00:00Z\n'),
    ];
    mkdirSync(join(one, '.git'));
    const deeper = home.make('a/shop/src/deep');
    symlinkSync(one, join(home.path, 'link'));

    const [first, second] = [jsonOf(await home.run(START, one)), jsonOf(await home.run(START, two))];
    expect(first).toMatchObject({
      instance: expect.stringMatching(/^shop-[0-9a-f]{8}$/) as string,
      ephemeral: true,
    });
    expect(second['instance']).not.toBe(first['instance']);
    expect(second['base_url']).not.toBe(first['base_url']);

    for (const folder of [deeper, join(home.path, 'link')]) {
      expect(jsonOf(await home.run(['status', '--json'], folder))['pid']).toBe(first['pid']);
    }
    expect(jsonOf(await home.run(['api', 'GET', '/_kyclone/settings'], deeper))).toMatchObject({
      egress: { policy: 'strict' },
    });
    expect(jsonOf(await home.run(['clock', 'get', '--json'], two))).toMatchObject({
      mode: 'frozen',
      now: '2026-01-31T12:00:00.000Z',
    });
    expect((await home.run(['status'])).code).toBe(5);
    expect(jsonOf(await home.run(['stop', '--json'], deeper))).toEqual({
      stopped: true,
      instance: first['instance'],
    });
    expect((await home.run(['status'], two)).code).toBe(0);
  });

  test('start: the file names the instance; environment and flag name another', async () => {
    await using home = projects();
    const shop = home.make('shop', 'instance: ours\nephemeral: true\nseed: "7"\n');
    expect(jsonOf(await home.run(START, shop))).toMatchObject({ instance: 'ours' });
    const other = { environment: { KYCLONE_INSTANCE: 'theirs' } };
    expect((await home.run(['status'], shop, other)).code).toBe(5);
    expect((await home.run(['status', '--instance', 'ours'], shop, other)).code).toBe(0);
    expect(jsonOf(await home.run(START, shop, other))).toMatchObject({ instance: 'theirs', ephemeral: true });
  });

  test('KYCLONE_BASE_URL: wins over the project file', async () => {
    await using daemon = await startDaemon();
    await using home = projects();
    const shop = home.make('shop', 'instance: ours\n');
    const environment = { KYCLONE_BASE_URL: daemon.url, KYCLONE_API_KEY: daemon.apiKey };
    expect((await home.run(['users', 'list'], shop, { environment })).code).toBe(0);
    expect((await home.run(['users', 'list'], shop)).code).toBe(5);
  });

  test('exec: the project’s seed makes ids repeat, a flag makes others', async () => {
    await using home = projects();
    const shop = home.make('shop', 'seed: 7\nport: 1\ninstance: ours\n');
    const create = [
      '--',
      'sh',
      '-c',
      `"${process.execPath}" "${join(import.meta.dirname, '../../../bin/kyclone.js')}" users create --json`,
    ];
    const id = async (...flags: string[]) =>
      jsonOf(await home.run(['exec', ...flags, ...create], shop))['id'];
    const [one, two, three] = [await id(), await id(), await id('--seed', '8')];
    expect(two).toBe(one);
    expect(three).not.toBe(one);
  });
});

describe('init', () => {
  test('init: writes a project that others can read, says what to do next, and replaces nothing', async () => {
    await using home = projects();
    const shop = home.make('shop');
    const made = await home.run(['init'], shop);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toContain('kyclone exec -- npm test');
    expect(statSync(join(shop, CONFIG)).mode & 0o444).toBe(0o444);
    writeFileSync(join(shop, CONFIG), 'seed: mine\n');
    const again = await home.run(['init', '--json'], shop);
    expect(again).toMatchObject({ code: 2, stdout: '' });
    expect(readFileSync(join(shop, CONFIG), 'utf8')).toBe('seed: mine\n');
    const forced = jsonOf(await home.run(['init', '--force', '--json'], shop));
    expect(forced).toMatchObject({ files: [CONFIG, 'fixtures/people.yaml'], directory: shop });
    expect(readFileSync(join(shop, CONFIG), 'utf8')).toContain('fixtures/people.yaml');
    expect((await home.run(['status'], shop)).stderr).toContain(`instance ${String(forced['instance'])}`);
  });

  test('init: the files it writes work with start, exec, fixtures run and fixtures check', async () => {
    await using home = projects();
    const shop = home.make('shop');
    await home.run(['init'], shop);
    expect(await home.run(['fixtures', 'check'], shop)).toMatchObject({ code: 0, stderr: '' });
    expect(await home.run(START, shop)).toMatchObject({ code: 0, stderr: '' });
    const people = async (argv: readonly string[]) =>
      (await home.run([...argv, 'users', 'list', '--output', 'id'], shop)).stdout.trim().split('\n');
    const [jane] = await people([]);
    expect(await people([])).toEqual([expect.stringMatching(/^fp_id_/)]);
    const again = await home.run(['fixtures', 'run', '--json'], shop);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(await people([])).toHaveLength(2);
    // The same seed makes the same person.
    const bin = join(ROOT, 'bin', 'kyclone.js');
    expect(await people(['exec', '--', process.execPath, bin])).toEqual([jane]);
  });

  test('init: half of it is not written either', async () => {
    await using home = projects();
    const shop = home.make('shop');
    writeFileSync(join(shop, 'fixtures'), 'a file where a folder is to be');
    expect(await home.run(['init'], shop)).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(join(shop, CONFIG))).toBe(false);
  });

  test('init: a project file in JSON stays the only one', async () => {
    await using home = projects();
    const shop = home.make('shop');
    writeFileSync(join(shop, 'kyclone.config.json'), '{}');
    expect(await home.run(['init', '--force'], shop)).toMatchObject({ code: 2, stdout: '' });
    expect(existsSync(join(shop, CONFIG))).toBe(false);
  });
});
