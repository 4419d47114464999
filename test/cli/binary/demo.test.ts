import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { jsonOf, runCli, spawnCli } from '../../support/cli.ts';
import { ROOT } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';

/** The first characters of a PEM file in base64. */
const PEM_IN_BASE64 = Buffer.from('-----BEGIN').toString('base64').slice(0, 12);
const NEXT = 'The demo and its data are deleted. To start your own instance: kyclone start -d';
const STOPPED = 'The demo was stopped. Its instance and its files are deleted.';
const PROMISE = /^[✓✗] \S.* +\d+\.\d\d s$/;

/** Returns the lines, of which there are at most 45 with at most 80 characters. */
function linesOf(output: string): string[] {
  const lines = stripVTControlCharacters(output).trimEnd().split(/\r?\n/);
  expect(lines.length).toBeLessThanOrEqual(45);
  expect(lines.filter(({ length }) => length > 80)).toEqual([]);
  return lines;
}

/** Checks the folder of the demo's homes, which the command line of each daemon names. */
function expectNothingLeft(folder: string): void {
  expect(readdirSync(folder)).toEqual([]);
  expect(spawnSync('pgrep', ['-f', folder], { encoding: 'utf8' })).toMatchObject({ status: 1, stdout: '' });
}

test('demo --json: every step does what it claims, and leaves nothing behind', async () => {
  using home = tempDir();
  using scratch = tempDir();
  const environment = { TMPDIR: scratch.path };
  const demo = await runCli(['demo', '--json'], { home: home.path, environment });
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  const { ok, stopped, promises, steps } = jsonOf(demo) as {
    ok: boolean;
    stopped: boolean;
    promises: { promise: string; holds: boolean; ms: number }[];
    steps: { claims: { says: string; holds: boolean }[] }[];
  };
  expect(steps.flatMap(({ claims }) => claims).filter(({ holds }) => !holds)).toEqual([]);
  expect(promises.filter(({ holds }) => !holds)).toEqual([]);
  expect([ok, stopped]).toEqual([true, false]);
  expect(demo.stdout).not.toContain(PEM_IN_BASE64);
  expect(promises.length).toBeGreaterThan(15);
  expect(steps.length).toBeGreaterThan(80);
  expect(readdirSync(home.path)).toEqual([]);
  expectNothingLeft(scratch.path);
});

test('demo: a line of 80 columns for each promise, and one with the next command', async () => {
  using home = tempDir();
  const demo = await runCli(['demo'], { home: home.path });
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  const lines = linesOf(demo.stdout);
  expect(lines.pop()).toBe(NEXT);
  expect(lines.filter((line) => !line.startsWith('✓') || !PROMISE.test(line))).toEqual([]);
  expect(lines.length).toBeGreaterThan(15);
});

test('demo: a promise that does not hold has a cross, and below it what was expected and found', async () => {
  using home = tempDir();
  using root = tempDir();
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, part), join(root.path, part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(root.path, 'node_modules'));
  const daemon = join(root.path, 'dist/daemon.cjs');
  writeFileSync(daemon, readFileSync(daemon, 'utf8').replaceAll('reason_required', 'reason_wanted'));

  const demo = await runCli(['demo'], { home: home.path, root: root.path });

  expect(demo).toMatchObject({ code: 1, stderr: '' });
  const lines = linesOf(demo.stdout);
  expect(lines.pop()).toBe('Not every promise holds. To see each call and response: kyclone demo --full');
  const crosses = lines.flatMap((line, at) => (line.startsWith('✗') ? [at] : []));
  expect(crosses).toEqual([1]);
  expect(lines.slice(1, 4)).toEqual([
    expect.stringMatching(PROMISE),
    '  step      6. A decryption needs a reason',
    '  expected  the answer is 400 reason_required',
  ]);
  expect(lines.slice(4, 7).join('\n')).toMatch(/^ {2}found {5}400 .*\n(?:.*\n)?✓/);
});

test('demo --full: each step with its request and its answer', async () => {
  using home = tempDir();
  const demo = await runCli(['demo', '--full'], { home: home.path });
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  expect(demo.stdout).toContain('$ curl -s -X POST "$KYCLONE_BASE_URL/users" -u "$KYCLONE_API_KEY:"');
  expect(demo.stdout).toContain('400 {"message":"Vault data is not valid');
  expect(demo.stdout).not.toContain('✗');
  expect(demo.stdout).not.toMatch(/sk_test_\w{32}/);
  expect(demo.stdout).toContain('-H "x-fp-authorization: $TOKEN"');
  expect(demo.stdout).toContain('-H "x-fp-proxy-client-key: $CLIENT_KEY"');
  expect(demo.stdout).not.toContain(PEM_IN_BASE64);
  expect(demo.stdout).toContain('200 <69 bytes, image/png>');
  expect(demo.stdout).toContain('/hosted/session/verify" -H "x-fp-authorization: $FLOW_TOKEN"');
  expect(demo.stdout.trimEnd().split('\n').at(-1)).toBe(NEXT);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'demo: %s, sent twice, stops it and leaves nothing',
  async (signal) => {
    using home = tempDir();
    using scratch = tempDir();
    const environment = { TMPDIR: scratch.path };
    const { child, output, ended } = spawnCli(['demo'], { home: home.path, environment });
    await expect.poll(() => output.stdout).not.toBe('');
    child.kill(signal);
    child.kill(signal);
    const { code, stdout } = await ended;
    expect([code, child.signalCode]).toEqual([128 + constants.signals[signal], null]);
    expect(linesOf(stdout).pop()).toBe(STOPPED);
    expect(stdout).not.toContain('✗');
    expectNothingLeft(scratch.path);
  },
);

test.skipIf(!hasTerminal && process.env['CI'] === undefined)(
  'demo: on a terminal it fits the screen, and a Ctrl-C stops it and leaves nothing',
  async () => {
    using home = tempDir();
    using scratch = tempDir();
    const session = { home: home.path, environment: { TMPDIR: scratch.path } };
    const whole = await runOnTerminal(['demo'], session);
    expect([whole.code, linesOf(whole.screen).pop()]).toEqual([0, NEXT]);
    const stopped = await runOnTerminal(['demo'], { ...session, typing: [{ after: /✓/, keys: '\u0003' }] });
    // The terminal shows the key, too, before the line that comes next: a promise that was just kept, or the last one.
    const screen = stopped.screen.replace('^C', '');
    expect([stopped.code, linesOf(screen).pop()]).toEqual([130, STOPPED]);
    expect(stopped.screen).not.toContain('✗');
    expectNothingLeft(scratch.path);
  },
);
