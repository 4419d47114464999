/** `kyclone exec` through the real binary: the command, its signals, and that no files remain. */
import {
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { execHome, FAILING, node, PASSING, PID, runInside } from '../../support/exec-home.ts';
import { until } from '../../support/kycloned.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';

const GONE = { code: 'ESRCH' };
const alive = (pid: number) => () => process.kill(pid, 0);

describe('the command', () => {
  test('exec: is ready before the command starts, and gone with it', async () => {
    using home = execHome();
    const ran = await home.run(node(PID));
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(alive(Number(ran.stdout))).toThrow(expect.objectContaining(GONE));
    expect(home.left()).toEqual([]);
    expect(existsSync(join(home.path, 'state'))).toBe(false);
  });

  test('exec: the environment names the instance, and no other', async () => {
    using home = execHome();
    const names = ['BASE_URL', 'API_KEY', 'LIVE_API_KEY', 'CONTROL_TOKEN', 'INSTANCE'].map(
      (name) => `KYCLONE_${name}`,
    );
    const ran = await home.run(
      [
        '--env',
        'APP={port}:{api_key}',
        ...node(
          `console.log(JSON.stringify([...${JSON.stringify(names)}, 'APP'].map((name) => process.env[name] ?? null)))`,
        ),
      ],
      {
        environment: {
          KYCLONE_INSTANCE: 'another',
          KYCLONE_BASE_URL: 'http://127.0.0.1:9',
          KYCLONE_API_KEY: 'sk_test_old',
        },
      },
    );
    const [url, key, live, token, instance, app] = JSON.parse(ran.stdout) as string[];
    expect([url, key, live, token]).toEqual([
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      expect.stringMatching(/^sk_test_\w{32}$/),
      expect.stringMatching(/^sk_live_\w{32}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    expect(instance).toBeNull();
    expect(app).toBe(`${new URL(url ?? '').port}:${key ?? ''}`);
  });

  test('exec: the command gets no key of the vault, of snapshots or of a remote, unless --env passes it', async () => {
    using home = execHome();
    const secrets = {
      KYCLONE_VAULT_KEY: 'a5'.repeat(32),
      KYCLONE_VAULT_PASSPHRASE: 'correct horse battery staple',
      KYCLONE_SNAPSHOT_KEY: '5a'.repeat(32),
      KYCLONE_REMOTE_API_KEY: 'sk_test_remote0123456789',
    };
    const print = node('console.log(JSON.stringify(process.env))');
    const ran = await home.run(['--env', 'KYCLONE_SNAPSHOT_KEY=another', ...print], {
      environment: { ...secrets, KEPT: 'kept' },
    });
    const { KEPT, KYCLONE_SNAPSHOT_KEY, ...found } = JSON.parse(ran.stdout) as Record<string, string>;
    expect({ KEPT, KYCLONE_SNAPSHOT_KEY }).toEqual({ KEPT: 'kept', KYCLONE_SNAPSHOT_KEY: 'another' });
    expect(Object.keys(found).filter((name) => name in secrets)).toEqual([]);
    for (const secret of Object.values(secrets)) expect(ran.stdout).not.toContain(secret);
  });

  test('exec: kyclone inside speaks to it, with the live key too; exec inside has an instance of its own', async () => {
    using home = execHome();
    const url = ['exec', ...node('console.log(process.env.KYCLONE_BASE_URL)')];
    const [made, sandbox, live, status, inner] = await runInside(
      home.path,
      [
        ['users', 'create', 'id.first_name=Jane', '--json'],
        ['users', 'list', '--json'],
        ['users', 'list', '--live', '--json'],
        ['status', '--json'],
        url,
      ],
      { KYCLONE_INSTANCE: 'another' },
    );
    expect([made?.code, inner?.code]).toEqual([0, 0]);
    expect(
      [sandbox, live].map((listed) => (listed && (jsonOf(listed)['data'] as unknown[]))?.length),
    ).toEqual([1, 0]);
    expect(inner?.stdout).toMatch(/^http:/);
    expect(inner?.stdout.trim()).not.toBe(status && jsonOf(status)['base_url']);
    expect(home.left()).toEqual([]);
  });

  test('exec: streams are the command’s own', async () => {
    using home = execHome();
    const script = `process.stdin.pipe(process.stdout); process.stdin.on('end', () => process.stderr.write('err'))`;
    const ran = await home.run(node(script), { stdin: 'a\0b\n--json\n' });
    expect(ran).toEqual({ code: 0, stdout: 'a\0b\n--json\n', stderr: 'err' });
  });

  test.each([
    ['process.exit(3)', 3],
    [`process.kill(process.pid, 'SIGKILL')`, 137],
  ])('exec: %s comes out as %i', async (script, code) => {
    using home = execHome();
    expect(await home.run(node(script))).toMatchObject({ code, stdout: '' });
  });

  test.each([
    [['nowhere-to-be-found'], 127, 'command_not_found'],
    [['./notes.txt'], 126, 'command_not_executable'],
  ])('exec: %j ends with %i', async (command, code, name) => {
    using home = execHome();
    writeFileSync(join(home.path, 'notes.txt'), 'no program');
    const ran = await home.run(['--json', '--', ...command]);
    expect(ran).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(ran.stderr)).toMatchObject({ code: name, exit_code: code });
    expect(home.left()).toEqual([]);
  });
});

describe('the daemon', () => {
  test('exec: a daemon that refuses to start ends it, and the command is not run', async () => {
    using home = execHome();
    await using taken = await loopbackServer(answerJson(200, {}));
    const refused = await home.run([
      '--port',
      String(taken.port),
      '--json',
      ...node(`require('fs').writeFileSync('ran', '')`),
    ]);
    expect(refused).toMatchObject({ code: 8, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'port_taken', exit_code: 8 });
    expect(existsSync(join(home.path, 'ran'))).toBe(false);
    expect(home.left()).toEqual([]);
  });

  test('exec: reports a daemon that dies, and keeps the exit code', async () => {
    using home = execHome();
    const run = home.start(
      node(`${PID}; setInterval(() => require('fs').existsSync('go') && process.exit(0), 20)`),
    );
    process.kill(Number(await run.next()), 'SIGKILL');
    await until('the end is reported', () => run.stderr().includes('The daemon has ended (exit code 137)'));
    writeFileSync(join(home.path, 'go'), '');
    expect(await run.ended).toBe(0);
  });

  test('exec: killed outright, it leaves no daemon and nothing of the instance', async () => {
    using home = execHome();
    const run = home.start(
      node(`${PID}; setInterval(() => require('fs').existsSync('go') && process.exit(0), 20)`),
    );
    const pid = Number(await run.next());
    run.child.kill('SIGKILL');
    expect(await run.ended).toBe('SIGKILL');
    await until('the daemon ends', () => {
      try {
        return !alive(pid)();
      } catch {
        return true;
      }
    });
    writeFileSync(join(home.path, 'go'), '');
    const [folder = ''] = home.left();
    expect(readdirSync(join(home.path, folder))).toEqual(['daemon.log']);
    expect((await home.run(PASSING)).code).toBe(0);
    expect(home.left()).toEqual([]);
  });
});

describe('the log', () => {
  test('exec: the end of it is shown when the command fails, and it is kept', async () => {
    using home = execHome();
    const failed = await home.run(
      node(`fetch(process.env.KYCLONE_BASE_URL + '/users').then(() => process.exit(9))`),
    );
    expect(failed).toMatchObject({ code: 9, stdout: '' });
    const kept = join(home.path, home.left()[0] ?? '', 'daemon.log');
    expect(failed.stderr).toContain(`The command ended with 9. The daemon's log is kept: ${kept}`);
    expect(failed.stderr).toMatch(/route=\/users.*status=401/);
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect(statSync(join(kept, '..')).mode & 0o777).toBe(0o700);
  });

  test('exec: --log-file keeps it in any case', async () => {
    using home = execHome();
    expect(await home.run(['--log-file', 'my.log', ...PASSING])).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(home.path, 'my.log'), 'utf8')).toContain('"event":"started"');
    expect(await home.run(['--log-file', 'my.log', ...FAILING])).toMatchObject({ code: 1 });
    expect(readFileSync(join(home.path, 'my.log'), 'utf8').match(/"event":"started"/g)).toHaveLength(1);
    expect(home.left()).toEqual([]);
  });
});

test.skipIf(process.getuid?.() !== 0)(
  'exec: --log-file is not opened through a link of another user',
  async () => {
    using home = execHome();
    writeFileSync(join(home.path, 'precious'), 'mine\n');
    symlinkSync('precious', join(home.path, 'my.log'));
    lchownSync(join(home.path, 'my.log'), 65_534, 65_534);
    const ran = await home.run(['--log-file', 'my.log', ...node('console.log("ran")')]);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`${join(home.path, 'my.log')} is a link of another user`);
    expect(home.read('precious')).toBe('mine\n');
    expect(home.left()).toEqual([]);
  },
);

describe('signals', () => {
  const passedOn = ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR2'] as const;

  test.each(passedOn)('exec: %s is passed on', async (signal) => {
    using home = execHome();
    const script = `process.on('${signal}', () => { console.log('${signal}'); process.exit(7); }); setInterval(() => {}, 1000); console.log('ready')`;
    const run = home.start(node(script));
    expect(await run.next()).toBe('ready');
    run.child.kill(signal);
    expect(await run.next()).toBe(signal);
    expect(await run.ended).toBe(7);
  });
});
