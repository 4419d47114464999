/** The built `kyclone/testing` in separate processes: what they inherit, and what they leave behind. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';
import '../support/tier-all.ts';

const LIBRARY = JSON.stringify(join(ROOT, 'dist/testing.js'));

interface Ended {
  readonly code: number;
  readonly signal?: NodeJS.Signals;
  readonly stdout: string;
  readonly stderr: string;
  /** The files that remain in its temporary folder. */
  readonly left: string[];
}

async function run(script: string, { env = {}, tmp = tempDir() } = {}): Promise<Ended> {
  const text = `import { startKyclone } from ${LIBRARY};\n${script}`;
  const ended = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', text], {
    env: { PATH: process.env['PATH'], TMPDIR: tmp, HOME: tmp, ...env },
    timeout: 100_000,
  }).then(
    (done): Omit<Ended, 'left'> => ({ ...done, code: 0 }),
    (error: unknown) => error as Omit<Ended, 'left'>,
  );
  return { ...ended, left: readdirSync(tmp) };
}

test('startKyclone: an instance that is forgotten keeps no process and leaves no folder', async () => {
  const ended = await run(`
    const kyclone = await startKyclone();
    await kyclone.client.call('POST /users');
    await kyclone.waitFor('*', { timeoutMs: 20 }).catch(() => {});
    console.log('last line');
  `);
  expect(ended).toEqual({ code: 0, stdout: 'last line\n', stderr: '', left: [] });
});

test('startKyclone: an exit in the middle of things leaves no folder', async () => {
  const script = `await startKyclone(); const other = await startKyclone(); other.client.call('GET /users'); process.exit(3);`;
  expect(await run(script)).toMatchObject({ code: 3, left: [] });
});

test('startKyclone: a signal ends the process as before, and leaves no folder', async () => {
  const script = `await startKyclone(); await startKyclone(); process.kill(process.pid, 'SIGTERM');`;
  expect(await run(`${script} await new Promise((go) => setTimeout(go, 1e6));`)).toMatchObject({
    signal: 'SIGTERM',
    left: [],
  });
  const own = `const got = new Promise((go) => process.once('SIGTERM', go)).then(() => console.log('own'));`;
  const ended = await run(
    `const stay = setInterval(() => {}, 1e6); ${own} ${script} await got; clearInterval(stay); console.log('goes on');`,
  );
  expect(ended).toMatchObject({ code: 0, stdout: 'own\ngoes on\n', left: [] });
});

test('startKyclone: no environment variable has a say', async () => {
  const home = join(tempDir(), 'home');
  const env = {
    KYCLONE_HOME: home,
    KYCLONE_BASE_URL: 'http://127.0.0.1:9',
    KYCLONE_API_KEY: 'sk_test_of_another_instance_00',
    KYCLONE_INSTANCE: 'another',
    KYCLONE_PORT: '9',
    KYCLONE_KEY: 'no key at all',
    XDG_DATA_HOME: home,
    XDG_STATE_HOME: home,
    XDG_CONFIG_HOME: home,
  };
  const script = `
    const kyclone = await startKyclone();
    const { instance } = await kyclone.client.call('GET /_kyclone/info');
    console.log(instance, (await kyclone.client.call('GET /users')).data.length);
    await kyclone.close();
  `;
  expect(await run(script, { env })).toEqual({ code: 0, stdout: 'default 0\n', stderr: '', left: [] });
  expect(existsSync(home)).toBe(false);
});

test('startKyclone: a temporary folder that is a file, or is not there, is named', async () => {
  const file = join(tempDir(), 'file');
  writeFileSync(file, '');
  const script = `await startKyclone().catch(({ name, code, message }) => console.log(name, code, message));`;
  for (const TMPDIR of [file, join(tempDir(), 'nowhere')]) {
    const { stdout } = await run(script, { env: { TMPDIR } });
    expect(stdout).toContain('KycloneError start_failed The instance could not start: ');
    expect(stdout).toContain(TMPDIR);
  }
});

test('startKyclone: relative paths of TMPDIR and fixtures outlast a change of the working directory', async () => {
  const folder = tempDir();
  mkdirSync(join(folder, 'temporary'));
  writeFileSync(join(folder, 'people.yaml'), 'steps:\n  - { call: POST /users }\n');
  const script = `
    process.chdir(${JSON.stringify(folder)});
    const kyclone = await startKyclone({ fixtures: ['people.yaml'] });
    process.chdir('/');
    await kyclone.reset();
    console.log((await kyclone.client.call('GET /users')).data.length);
    await kyclone.close();
  `;
  const { stdout, stderr } = await run(script, { env: { TMPDIR: 'temporary' } });
  expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' });
  expect(readdirSync(join(folder, 'temporary'))).toEqual([]);
});

test('startKyclone: an error that nobody catches is shown with a short source line', async () => {
  const { code, stderr } = await run(`await startKyclone({ port: -1 });`);
  expect(code).toBe(1);
  expect(stderr).toContain('KycloneError: Option port must be a number');
  for (const line of stderr.split('\n')) expect(line.length).toBeLessThan(1_000);
});

test('startKyclone: import and require share one library', async () => {
  const script = `
    import { createRequire } from 'node:module';
    const required = createRequire(import.meta.url)(${JSON.stringify(join(ROOT, 'dist/testing.cjs'))});
    console.log(required.startKyclone === startKyclone, Object.keys(required).sort().join(' '));
  `;
  expect((await run(script)).stdout).toBe(
    'true ApiError FixtureError KycloneError MissingCredentialError UnreachableError startKyclone\n',
  );
});

test('close: in the middle of requests ends them, with an answer or a broken connection', async () => {
  const script = `
    const kyclone = await startKyclone();
    await kyclone.faults.add({ latency_ms: 60_000 }, { path: '/businesses' });
    const calls = [kyclone.client.call('GET /users'), kyclone.client.call('GET /businesses')];
    const ends = Promise.allSettled(calls);
    await kyclone.client.call('GET /_kyclone/info');
    await kyclone.close();
    const [quick, slow] = await ends;
    console.log(quick.status, slow.status);
  `;
  const { code, stdout, left } = await run(script);
  expect({ code, left }).toEqual({ code: 0, left: [] });
  expect(stdout).toMatch(/^fulfilled (?:fulfilled|rejected)\n$/);
});

test('startKyclone: starts where a test environment such as jsdom has put in typed arrays of its own', async () => {
  const ended = await run(`
    import { runInNewContext } from 'node:vm';
    globalThis.Uint8Array = runInNewContext('Uint8Array');
    const kyclone = await startKyclone();
    const { id: fp_id } = await kyclone.client.call('POST /users', { body: { 'id.first_name': 'Jane' } });
    const body = { fields: ['id.first_name'], reason: 'a test' };
    console.log(await kyclone.client.call('POST /users/{fp_id}/vault/decrypt', { params: { fp_id }, body }));
  `);
  expect(ended).toMatchObject({ code: 0, stdout: "{ 'id.first_name': 'Jane' }\n", stderr: '' });
});
