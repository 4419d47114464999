/**
 * The Dockerfile without a container engine: its entry point runs as process 1 of a process namespace, as the image's
 * user, on the image's own root, read-only except for the volume, with the image's environment and health check. The
 * root is made as the Dockerfile makes it, with the libraries of this machine.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/daemon.ts';
import { singleFile } from '../support/single-file.ts';
import { until } from '../support/kycloned.ts';
import { tempDir } from '../support/temp-dir.ts';

const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n');
/** Returns the arguments of an instruction in the last stage. */
function instruction(word: string): string {
  const from = lines.findLastIndex((line) => line.startsWith('FROM '));
  const found = lines.slice(from).filter((line) => line.startsWith(`${word} `));
  expect(found, word).toHaveLength(1);
  return (found[0] ?? '').slice(word.length).trim();
}
const words = (json: string) => JSON.parse(json.slice(json.indexOf('['))) as string[];
const environment = instruction('ENV').split(/\s+/);
const [uid = 0, gid = 0] = instruction('USER').split(':').map(Number);
const healthcheck = words(instruction('HEALTHCHECK'));

const mayTry =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'true'], { stdio: 'ignore' }).status === 0;

/** What an engine adds to the image's root before it starts the entry point. */
const SETUP = `
set -e
mount --make-rprivate /
mount --bind "$R" "$R"
mount --bind /dev "$R/dev"
mount -t proc proc "$R/proc"
mount --bind "$DATA" "$R/data"
mount -o remount,ro,bind "$R"
exec /usr/bin/env -i "$@"
`;

function container() {
  const folder = tempDir();
  const root = join(folder.path, 'root');
  const data = join(folder.path, 'data');
  execFileSync('sh', [join(ROOT, 'src/devtools/single-file/image-root.sh'), singleFile(), root]);
  for (const each of ['dev', 'proc', 'data']) mkdirSync(join(root, each));
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, uid, gid);
  const running: ChildProcess[] = [];

  async function run(options: readonly string[]) {
    const child = spawn(
      'unshare',
      [
        '--mount',
        '--pid',
        '--fork',
        '--kill-child',
        'sh',
        '-c',
        SETUP,
        'sh',
        ...environment,
        '/usr/sbin/chroot',
        `--userspec=${uid}:${gid}`,
        root,
        ...words(instruction('ENTRYPOINT')),
        '--port',
        '0',
        ...options,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'], R: root, DATA: data } },
    );
    running.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    }
    const closed = once(child, 'close');
    const state = join(data, 'state', 'default', 'daemon.json');
    const first = () => {
      const file = `/proc/${child.pid ?? 0}/task/${child.pid ?? 0}/children`;
      return Number(existsSync(file) ? readFileSync(file, 'utf8') : 0);
    };
    /** Runs a command inside, as `docker exec` and the health check do. */
    const inside = (command: readonly string[]) =>
      spawnSync('/usr/bin/env', [
        '-i',
        ...environment,
        '/usr/bin/nsenter',
        '--target',
        String(first()),
        '--mount',
        '--pid',
        '--root',
        '--wd',
        '--setuid',
        String(uid),
        '--setgid',
        String(gid),
        ...command,
      ]);
    await until('the health check passes', () => {
      if (child.exitCode !== null) throw new Error(output);
      return Promise.resolve(first() > 0 && inside(healthcheck).status === 0);
    });
    const { url } = JSON.parse(readFileSync(state, 'utf8')) as { url: string };
    return {
      url,
      inside,
      root,
      output: () => output,
      port: new URL(url).port,
      status: () => readFileSync(`/proc/${first()}/status`, 'utf8'),
      end: async (signal: NodeJS.Signals) => {
        process.kill(first(), signal);
        const [code] = (await closed) as [number];
        return code;
      },
    };
  }
  return {
    run,
    [Symbol.dispose]() {
      for (const child of running) child.kill('SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}

test.skipIf(!mayTry)(
  'container: process 1 serves, is healthy, stops on a SIGTERM and starts again after a SIGKILL',
  async () => {
    using box = container();
    const first = await box.run([]);
    expect(first.status()).toMatch(/^NSpid:\t\d+\t1$/m);
    expect(first.status()).toMatch(new RegExp(`^Uid:\\t${uid}\\t`, 'm'));
    const created = first.inside(['kyclone', 'users', 'create', 'id.first_name=Jane', '--output', 'id']);
    expect(created.stdout.toString(), created.stderr.toString()).toMatch(/^fp_id_\w+\n$/);
    const outside = await fetch(`http://127.0.0.1:${first.port}/_kyclone/health`);
    expect(outside.status).toBe(200);
    for (const folder of ['/', '/tmp', '/usr/local/bin']) {
      expect(first.inside(['kyclone', 'report', `${folder}/report`]).status, folder).not.toBe(0);
    }
    expect(first.inside(['kyclone', 'report', '/data/report']).status).toBe(0);
    expect(await first.end('SIGTERM'), first.output()).toBe(0);

    const second = await box.run([]);
    await second.end('SIGKILL');
    const third = await box.run(['--set', 'hosts=["kyclone"]']);
    const kept = third.inside(['kyclone', 'users', 'list', '--output', 'id']);
    expect(kept.stdout.toString()).toBe(created.stdout.toString());
    expect(await third.end('SIGTERM'), third.output()).toBe(0);
  },
);

test('container: the compose file runs the image as it is meant to run', () => {
  const { services } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
    services: Record<string, Record<string, unknown>>;
  };
  const { kyclone: service = {} } = services;
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], volumes: ['kyclone-data:/data'] });
  expect(service['ports']).toEqual([`127.0.0.1:${instruction('EXPOSE')}:${instruction('EXPOSE')}`]);
  expect((service['healthcheck'] as { test: string[] }).test).toEqual(['CMD', ...healthcheck]);
  expect(instruction('VOLUME')).toBe('/data');
});

test('container: the image is under 150 MB, and has no program besides kyclone', () => {
  using folder = tempDir();
  const root = join(folder.path, 'root');
  execFileSync('sh', [join(ROOT, 'src/devtools/single-file/image-root.sh'), singleFile(), root]);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => ({ name, file: lstatSync(join(root, name)) }))
    .filter(({ file }) => file.isFile());
  expect(files.reduce((sum, { file }) => sum + file.size, 0)).toBeLessThan(150e6);
  const programs = files.filter(({ name, file }) => (file.mode & 0o111) !== 0 && !/\.so\.\d+$/.test(name));
  expect(programs.map(({ name }) => name)).toEqual(['usr/local/bin/kyclone']);
  if (process.getuid?.() !== 0) return;
  const words = ['-i', 'PATH=/usr/local/bin', '/usr/sbin/chroot', root, 'kyclone', 'help'];
  const help = spawnSync('/usr/bin/env', words, { encoding: 'utf8' });
  expect(help.stdout, `${help.stderr}, without /proc`).toContain('USAGE');
});
