/** `kyclone exec` through the real binary: the command, its signals, and that no files remain. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { processSpace } from '../../../src/kernel/processes.ts';
import { runCli, type CliOptions } from '../../support/cli.ts';
import { cleanEnvironment, ROOT } from '../../support/daemon.ts';
import { until } from '../../support/kycloned.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';

const NODE = process.execPath;
const CLI = [NODE, join(ROOT, 'bin/kyclone.js')];
const node = (script: string) => ['--', NODE, '-e', script];
const GONE = { code: 'ESRCH' };
/** A script that prints the pid of the daemon. */
const PID = `fetch(process.env.KYCLONE_BASE_URL + '/_kyclone/info', { headers: { authorization: 'Bearer ' + process.env.KYCLONE_CONTROL_TOKEN } }).then((answer) => answer.json()).then(({ pid }) => console.log(pid))`;

/** Makes a home that also holds all temporary files, so that the test sees what remains. */
function execHome() {
  const folder = tempDir();
  const environment = { TMPDIR: folder.path };
  return {
    path: folder.path,
    run: (argv: readonly string[], options: Partial<CliOptions> = {}) =>
      runCli(['exec', ...argv], {
        home: folder.path,
        ...options,
        environment: { ...environment, ...options.environment },
      }),
    left: () => readdirSync(folder.path).filter((name) => name.startsWith('kyclone-exec-')),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Starts a run without waiting for it; returns its output lines and its end. */
function startExec(argv: readonly string[], home: string) {
  const child = spawn(NODE, [CLI[1] ?? '', 'exec', ...argv], {
    env: cleanEnvironment(home, { TMPDIR: home }),
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string);
  return { child, ended, next: async () => String((await lines.next()).value), stderr: () => stderr };
}

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

  test('exec: kyclone inside speaks to it, with the live key too', async () => {
    using home = execHome();
    const kyclone = `"${CLI.join('" "')}"`;
    const script = `${kyclone} users create id.first_name=Jane >&2 && ${kyclone} users list --json && ${kyclone} users list --live --json`;
    const ran = await home.run(['--', 'sh', '-c', script], { environment: { KYCLONE_INSTANCE: 'another' } });
    expect(ran.code, ran.stderr).toBe(0);
    const [sandbox, live] = ran.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: unknown[] }).data);
    expect([sandbox?.length, live?.length]).toEqual([1, 0]);
  });

  test('exec: streams are the command’s own', async () => {
    using home = execHome();
    const ran = await home.run(['--', 'sh', '-c', 'cat; printf err >&2'], { stdin: 'a\0b\n--json\n' });
    expect(ran).toEqual({ code: 0, stdout: 'a\0b\n--json\n', stderr: 'err' });
  });

  test.each([
    ['exit 3', 3],
    ['kill -9 $$', 137],
    ['kill -15 $$', 143],
  ])('exec: %s comes out as %i', async (script, code) => {
    using home = execHome();
    expect(await home.run(['--', 'sh', '-c', script])).toMatchObject({ code, stdout: '' });
  });

  test.each([
    [['nowhere-to-be-found'], 127, 'command_not_found'],
    [['./notes.txt'], 126, 'command_not_executable'],
  ])('exec: %j ends with %i', async (command, code, name) => {
    using home = execHome();
    writeFileSync(join(home.path, 'notes.txt'), 'no program');
    const plain = await home.run(['--', ...command]);
    expect(plain).toMatchObject({ code, stdout: '' });
    const ran = await home.run(['--json', '--', ...command]);
    expect(JSON.parse(ran.stderr)).toMatchObject({ code: name, exit_code: code });
    expect(home.left()).toEqual([]);
  });

  test.each([
    [['true']],
    [[]],
    [['--env', 'A={nothing}', '--', 'true']],
    [['--export-on-exit', '--port', '0', '--', 'true']],
    [['--clock', 'now', '--', 'true']],
    [['--log-file', 'no/folder/log', '--', 'true']],
  ])('exec: %j is a usage error', async (argv) => {
    using home = execHome();
    expect(await home.run(argv)).toMatchObject({ code: 2, stdout: '' });
    expect(home.left()).toEqual([]);
  });
});

describe('what surrounds the command', () => {
  /** Runs a script in a shell, which closes and pipes streams as people do. */
  async function shell(home: ReturnType<typeof execHome>, script: string) {
    const exec = `'${CLI.join("' '")}' exec`;
    const child = spawn('sh', ['-c', script.replaceAll('EXEC', exec)], {
      env: cleanEnvironment(home.path, { TMPDIR: home.path }),
      cwd: home.path,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    }
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output };
  }

  test.each([
    ['stdin', '0', "sh -c 'echo ran >&2; exit 4'"],
    ['stdout', '1', "sh -c 'echo ran >&2; exit 4'"],
    ['stderr', '2', "sh -c 'echo ran; exit 4'"],
  ])('exec: with %s closed the command runs, and its code is returned', async (_name, stream, command) => {
    using home = execHome();
    const { code, output } = await shell(home, `EXEC --log-lines 0 -- ${command} ${stream}>&-`);
    expect(output).toContain('ran');
    expect(code).toBe(4);
  });

  test('exec: a reader that has enough ends the command, and no log is kept for it', async () => {
    using home = execHome();
    const { output } = await shell(home, 'EXEC -- yes | head -1');
    expect(output).toBe('y\n');
    expect(home.left()).toEqual([]);
  });

  test('exec: does not wait for background processes of the command', async () => {
    using home = execHome();
    const { code, output } = await shell(
      home,
      "EXEC -- sh -c '(sleep 30 >/dev/null 2>&1 & echo $! > pid); echo over'",
    );
    expect([code, output]).toEqual([0, 'over\n']);
    process.kill(Number(readFileSync(join(home.path, 'pid'), 'utf8')), 'SIGKILL');
    expect(home.left()).toEqual([]);
  });

  test('exec: inside of another it has an instance of its own', async () => {
    using home = execHome();
    writeFileSync(
      join(home.path, 'inner.sh'),
      `echo "$KYCLONE_BASE_URL"; EXEC -- printenv KYCLONE_BASE_URL`.replace(
        'EXEC',
        `'${CLI.join("' '")}' exec`,
      ),
    );
    const { code, output } = await shell(home, 'EXEC -- sh inner.sh');
    const urls = output.trim().split('\n');
    expect([code, urls.length, new Set(urls).size]).toEqual([0, 2, 2]);
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
    const run = startExec(
      node(`${PID}; setInterval(() => require('fs').existsSync('go') && process.exit(0), 20)`),
      home.path,
    );
    process.kill(Number(await run.next()), 'SIGKILL');
    await until('the end is reported', () => run.stderr().includes('The daemon has ended (exit code 137)'));
    writeFileSync(join(home.path, 'go'), '');
    expect(await run.ended).toBe(0);
  });

  test('exec: killed outright, it leaves no daemon and nothing of the instance', async () => {
    using home = execHome();
    const run = startExec(
      node(`${PID}; setInterval(() => require('fs').existsSync('go') && process.exit(0), 20)`),
      home.path,
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
    expect((await home.run(['--', 'true'])).code).toBe(0);
    expect(home.left()).toEqual([]);
  });

  test('exec: removes the files of an earlier run that was killed with its daemon', async () => {
    using home = execHome();
    const waiting = `setInterval(() => require('fs').existsSync('go') && process.exit(0), 20)`;
    const alive = startExec(node(`${PID}; ${waiting}`), home.path);
    await alive.next();
    const [kept = ''] = home.left();
    const killed = startExec(node(`${PID}; ${waiting}`), home.path);
    const pid = Number(await killed.next());
    // The daemon is stopped before its parent is killed, so that it can't clean up.
    process.kill(pid, 'SIGSTOP');
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    process.kill(pid, 'SIGKILL');
    const [folder = ''] = home.left().filter((name) => name !== kept);
    expect(existsSync(join(home.path, folder, 'home', 'state'))).toBe(true);

    await until('the leftovers are removed', async () => {
      expect((await home.run(['--', 'true'])).code).toBe(0);
      return !home.left().includes(folder);
    });
    expect(home.left(), 'a run that goes on keeps its folder').toEqual([kept]);
    writeFileSync(join(home.path, 'go'), '');
    expect(await alive.ended).toBe(0);
    expect(home.left()).toEqual([]);
  });

  test('exec: what only looks like its leftovers, a link, a strange file or a kept log, is not removed', async () => {
    using home = execHome();
    const space = processSpace() ?? '0';
    const nobody = spawn('true');
    await once(nobody, 'exit');
    const [linked, strange, left] = ['aaaaaa', 'bbbbbb', 'cccccc'].map((end) =>
      join(home.path, `kyclone-exec-${space}-${nobody.pid ?? 0}-0-${end}`),
    ) as [string, string, string];
    mkdirSync(join(home.path, 'mine', 'home'), { recursive: true });
    symlinkSync(join(home.path, 'mine'), linked);
    mkdirSync(strange);
    writeFileSync(join(strange, 'notes.txt'), 'mine');
    mkdirSync(join(left, 'home'), { recursive: true });
    expect((await home.run(['--', 'false'])).code).toBe(1);
    const log = home.left().find((name) => name.startsWith('kyclone-exec-log-')) ?? '';
    expect((await home.run(['--', 'true'])).code).toBe(0);
    expect(home.left().sort()).toEqual([basename(linked), basename(strange), log].sort());
    expect(existsSync(join(home.path, 'mine', 'home'))).toBe(true);
    expect(readdirSync(join(home.path, log))).toEqual(['daemon.log']);
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

  test('exec: --log-lines 0 shows none of it, --json says where it is', async () => {
    using home = execHome();
    const quiet = await home.run(['--log-lines', '0', '--', 'false']);
    expect(quiet.stderr.trim().split('\n')).toHaveLength(1);
    const failure = JSON.parse((await home.run(['--json', '--', 'false'])).stderr) as {
      context: { log_file: string };
    };
    expect(failure).toMatchObject({ code: 'command_failed', exit_code: 1 });
    expect(readFileSync(failure.context.log_file, 'utf8')).toContain('"event":"stopped"');
  });

  test('exec: --log-file keeps it in any case', async () => {
    using home = execHome();
    expect(await home.run(['--log-file', 'my.log', '--', 'true'])).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(home.path, 'my.log'), 'utf8')).toContain('"event":"started"');
    expect(await home.run(['--log-file', 'my.log', '--', 'false'])).toMatchObject({ code: 1 });
    expect(readFileSync(join(home.path, 'my.log'), 'utf8').match(/"event":"started"/g)).toHaveLength(1);
    expect(home.left()).toEqual([]);
  });
});

describe('signals', () => {
  const exitOn = (signal: string, code: number) =>
    `process.on('${signal}', () => { console.log('${signal}'); process.exit(${code}); }); setInterval(() => {}, 1000); console.log('ready')`;

  test.each(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGUSR2'] as const)(
    'exec: %s is passed on',
    async (signal) => {
      using home = execHome();
      const run = startExec(node(exitOn(signal, 7)), home.path);
      expect(await run.next()).toBe('ready');
      run.child.kill(signal);
      expect(await run.next()).toBe(signal);
      expect(await run.ended).toBe(7);
    },
  );

  test('exec: a command that heeds no signal is waited for, and gets the second one', async () => {
    using home = execHome();
    const script = `let n = 0; process.on('SIGTERM', () => { console.log(++n); if (n === 2) process.exit(0); }); setInterval(() => {}, 1000); console.log('ready')`;
    const run = startExec(node(script), home.path);
    await run.next();
    run.child.kill('SIGTERM');
    expect(await run.next()).toBe('1');
    run.child.kill('SIGTERM');
    expect(await run.next()).toBe('2');
    expect(await run.ended).toBe(0);
    expect(home.left()).toEqual([]);
  });

  test('exec: a command that a signal ends makes it end with 128 and its number', async () => {
    using home = execHome();
    const run = startExec(node(`setInterval(() => {}, 1000); console.log('ready')`), home.path);
    await run.next();
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(128 + constants.signals.SIGINT);
    expect(home.left()).toEqual([]);
  });

  describe.skipIf(!hasTerminal && process.env['CI'] === undefined)('on a terminal', () => {
    test('exec: a Ctrl-C reaches the command once, and the command ends the run', async () => {
      using home = execHome();
      const script = `let n = 0; process.on('SIGINT', () => { if (++n === 1) setTimeout(() => { console.log('interrupted ' + n); process.exit(5); }, 300); }); setInterval(() => {}, 1000); console.log('ready')`;
      const { code, screen } = await runOnTerminal(['exec', ...node(script)], {
        home: home.path,
        environment: { TMPDIR: home.path },
        typing: [{ after: /^ready/m, keys: '\u0003' }],
      });
      expect(screen).toContain('interrupted 1');
      expect(code).toBe(5);
      expect(home.left()).toEqual([]);
    });

    test('exec: the command reads the terminal', async () => {
      using home = execHome();
      const { code, screen } = await runOnTerminal(
        ['exec', '--', 'sh', '-c', 'test -t 0 && echo ready && read line && echo "got $line"'],
        {
          home: home.path,
          typing: [{ after: /^ready/m, keys: 'words\r' }],
        },
      );
      expect(screen).toContain('got words');
      expect(code).toBe(0);
    });
  });
});
