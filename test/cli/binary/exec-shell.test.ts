/**
 * `kyclone exec` in a shell, which closes and pipes streams as people do, on a terminal, and after runs that were
 * killed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { processSpace } from '../../../src/kernel/program/processes.ts';
import { cleanEnvironment } from '../../support/daemon.ts';
import { CLI, execHome, FAILING, node, PASSING, PID } from '../../support/exec-home.ts';
import { until } from '../../support/kycloned.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';

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
});

describe('the time limit', () => {
  test('exec: --timeout stops the command and its children, with exit code 124', async () => {
    using home = execHome();
    const script = 'sleep 600 & echo $! > pid; trap "echo ended; exit 0" TERM; wait';
    const ran = await home.run(['--timeout', '1s', '--', 'sh', '-c', script]);
    expect(ran).toMatchObject({ code: 124, stdout: 'ended\n' });
    expect(ran.stderr).toContain('The command was stopped: it ran for longer than 1s (--timeout)');
    const pid = Number(home.read('pid'));
    await until('what it has started is gone', () => Promise.resolve(!existsSync(`/proc/${pid}`)));
  });
});

describe('the files of earlier runs', () => {
  test('exec: removes the files of an earlier run that was killed with its daemon', async () => {
    using home = execHome();
    const waiting = `setInterval(() => require('fs').existsSync('go') && process.exit(0), 20)`;
    const alive = home.start(node(`${PID}; ${waiting}`));
    await alive.next();
    const [kept = ''] = home.left();
    const killed = home.start(node(`${PID}; ${waiting}`));
    const pid = Number(await killed.next());
    // The daemon is stopped before its parent is killed, so that it can't clean up.
    process.kill(pid, 'SIGSTOP');
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    process.kill(pid, 'SIGKILL');
    const [folder = ''] = home.left().filter((name) => name !== kept);
    expect(existsSync(join(home.path, folder, 'home', 'state'))).toBe(true);

    await until('the leftovers are removed', async () => {
      expect((await home.run(PASSING)).code).toBe(0);
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
    expect((await home.run(FAILING)).code).toBe(1);
    const log = home.left().find((name) => name.startsWith('kyclone-exec-log-')) ?? '';
    expect((await home.run(PASSING)).code).toBe(0);
    expect(home.left().sort()).toEqual([basename(linked), basename(strange), log].sort());
    expect(existsSync(join(home.path, 'mine', 'home'))).toBe(true);
    expect(readdirSync(join(home.path, log))).toEqual(['daemon.log']);
  });
});

describe('signals', () => {
  test('exec: a command that heeds no signal is waited for, and gets the second one', async () => {
    using home = execHome();
    const script = `let n = 0; process.on('SIGTERM', () => { console.log(++n); if (n === 2) process.exit(0); }); setInterval(() => {}, 1000); console.log('ready')`;
    const run = home.start(node(script));
    await run.next();
    run.child.kill('SIGTERM');
    expect(await run.next()).toBe('1');
    run.child.kill('SIGTERM');
    expect(await run.next()).toBe('2');
    expect(await run.ended).toBe(0);
    expect(home.left()).toEqual([]);
  });
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
      { home: home.path, typing: [{ after: /^ready/m, keys: 'words\r' }] },
    );
    expect(screen).toContain('got words');
    expect(code).toBe(0);
  });
});
