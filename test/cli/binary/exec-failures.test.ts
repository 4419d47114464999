/**
 * `kyclone exec` through the real binary when the command fails: its time limit, and what is stored and shown of the
 * run.
 */
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runInProcess } from '../../support/cli-in-process.ts';
import { execHome, FAILING, node, PASSING } from '../../support/exec-home.ts';
import { REPORT_FILES } from '../../support/report-files.ts';
import { until } from '../../support/kycloned.ts';
import '../../support/tier-all.ts';

const SSN = '121-12-1212';

/** Returns a program under test that makes five calls that succeed and three that fail, and ends with `code`. */
const calls = (code: number) => `
const { KYCLONE_BASE_URL: url, KYCLONE_API_KEY: key, KYCLONE_CONTROL_TOKEN: token } = process.env;
const call = (method, path, body, credential = { 'x-service-secret-key': key }) =>
  fetch(url + path, { method, headers: { ...credential, 'content-type': 'application/json' }, body: body && JSON.stringify(body) });
const control = { authorization: 'Bearer ' + token };
(async () => {
  await call('POST', '/users', { 'id.first_name': 'Canary', 'id.ssn9': '${SSN}' });
  await call('POST', '/_kyclone/webhooks', { url: 'http://127.0.0.1:9/Canary?token=Canary', kinds: ['onboarding.completed'] }, control);
  await call('POST', '/_kyclone/events/trigger', { kind: 'onboarding.completed', body: { note: 'Canary', status: 'pass' } }, control);
  await call('POST', '/_kyclone/outcomes', { match: { external_id: 'order-*' }, outcome: 'fail' }, control);
  await call('POST', '/_kyclone/faults', { match: { path: '/users/search' }, status: 503 }, control);
  await call('POST', '/users', { 'id.dob': 'Canary', 'id.ssn9': '${SSN}' });
  await call('GET', '/user');
  await call('GET', '/users/search?name=Canary');
  process.exit(${code});
})();`;

describe('the time limit', () => {
  test('exec: kills a command that ignores SIGTERM, and its children', async () => {
    using home = execHome();
    const inner = `process.on('SIGTERM', () => {}); require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000);`;
    writeFileSync(join(home.path, 'inner.cjs'), inner);
    const script = `process.on('SIGTERM', () => console.log('heard')); require('child_process').spawn(process.execPath, ['inner.cjs']); const look = setInterval(() => { if (require('fs').existsSync('pid')) { clearInterval(look); console.log('up'); } }, 10); setInterval(() => {}, 1000);`;
    const ran = await home.run(['--timeout', '3s', '--kill-after', '50ms', ...node(script)]);
    expect(ran).toMatchObject({ code: 124, stdout: 'up\nheard\n' });
    const pid = Number(home.read('pid'));
    await until('what it has started is gone', () => Promise.resolve(!existsSync(`/proc/${pid}`)));
  });

  test('exec: a command that ends in time has its own code, 124 included, and its own stdin', async () => {
    using home = execHome();
    const script = `process.stdin.pipe(process.stdout); process.exitCode = 124`;
    const own = await home.run(['--timeout', '10m', ...node(script)], { stdin: 'words' });
    expect(own).toMatchObject({ code: 124, stdout: 'words' });
    expect(own.stderr).toContain('The command ended with 124');
    const missing = ['exec', '--timeout', '10m', '--', 'nowhere-to-be-found'];
    expect((await runInProcess(missing, home.options())).code).toBe(127);
  });
});

describe('the end of a run that fails', () => {
  test('exec: the last failed requests are shown with path, status, code and hint', async () => {
    using home = execHome();
    const { code, stderr } = await home.run(['--log-lines', '0', ...node(calls(3))]);
    expect(code).toBe(3);
    const [heading, title, ...lines] = stderr.trimEnd().split('\n');
    expect([heading, title]).toEqual([
      expect.stringMatching(/^The command ended with 3\. The daemon's log is kept: /),
      'The last failed requests:',
    ]);
    expect(lines).toEqual([
      expect.stringMatching(
        /^ {2}\d\d:\d\d:\d\d {2}400 {2}POST \/users {2}\w+ {2}\(id\.dob: must be a real date /,
      ),
      expect.stringMatching(/ {2}404 {2}GET \/user {2}not_found {2}\(Did you mean /),
      expect.stringMatching(/ {2}503 {2}GET \/users\/search\?name=\*\*\* {2}\w+ {2}\(on purpose: flt_/),
    ]);
    expect(stderr).not.toMatch(/Canary|\b1212\b/);
  });

  test('exec: the end of the log is the command’s, not of the reads that come after it', async () => {
    using home = execHome();
    const { stderr } = await home.run(['--report', 'kept', '--log-lines', '2', ...node(calls(3))]);
    const lines = stderr.trimEnd().split('\n').slice(-2);
    expect(lines).toEqual([expect.stringContaining('status=503'), expect.stringMatching(/ info stopped$/)]);
  });

  test('exec: --json has them as data', async () => {
    using home = execHome();
    const { stderr } = await home.run(['--json', '--report', 'kept', ...node(calls(3))]);
    const failure = JSON.parse(stderr) as { failed_requests: unknown[] };
    expect(failure).toMatchObject({
      code: 'command_failed',
      exit_code: 3,
      context: { report: join(home.path, 'kept'), log_file: join(home.path, 'kept', 'daemon.log') },
    });
    expect(failure.failed_requests).toMatchObject([
      {
        method: 'POST',
        path: '/users',
        status: 400,
        context: { 'id.dob': expect.stringMatching(/^must be /) as string },
      },
      { method: 'GET', path: '/user', status: 404, code: 'not_found' },
      { method: 'GET', status: 503, faults: [expect.stringMatching(/^flt_/)] },
    ]);
  });

  test('exec: a run that succeeds shows nothing of requests that failed', async () => {
    using home = execHome();
    expect(await home.run(['--report', 'kept', ...node(calls(0))])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(existsSync(join(home.path, 'kept'))).toBe(false);
  });

  test('exec: ends although its instance was killed', async () => {
    using home = execHome();
    const script = `fetch(process.env.KYCLONE_BASE_URL + '/_kyclone/info', { headers: { authorization: 'Bearer ' + process.env.KYCLONE_CONTROL_TOKEN } }).then((answer) => answer.json()).then(({ pid }) => { process.kill(pid, 'SIGKILL'); process.exit(3); })`;
    const { code, stderr } = await home.run(['--report', 'kept', ...node(script)]);
    expect(code).toBe(3);
    expect(stderr).toContain('The journal could not be read: ');
    expect(JSON.parse(home.read('kept', 'report.json'))).toMatchObject({
      missing_because: expect.any(String) as string,
    });
    expect(home.read('kept', 'daemon.log')).toContain('"event":"started"');
  });
});

describe('the report', () => {
  const load = (home: ReturnType<typeof execHome>, name: string) =>
    JSON.parse(home.read('deep', 'kept', name)) as never;

  test('exec: --report has journal, events, rules and log, for this user alone, values masked', async () => {
    using home = execHome();
    const { code, stderr } = await home.run(['--report', 'deep/kept/', ...node(calls(3))]);
    expect(code).toBe(3);
    const folder = join(home.path, 'deep', 'kept');
    expect(stderr).toContain(`The command ended with 3. The report is in ${folder}`);
    expect(home.left(), 'no other log is kept').toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(REPORT_FILES);
    for (const name of REPORT_FILES) {
      expect(statSync(join(folder, name)).mode & 0o777, name).toBe(0o600);
      expect(home.read('deep', 'kept', name)).not.toMatch(/Canary|121-12|12112|sk_test_|sk_live_/);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);

    expect(load(home, 'report.json')).toMatchObject({
      command: 'node',
      exit_code: 3,
      timed_out_after_ms: null,
      failure: null,
      missing_because: null,
      failed_requests: [{ status: 503 }, { status: 404, path: '/user' }, { status: 400, path: '/users' }],
    });
    expect(load(home, 'failed-requests.json')).toMatchObject([
      { status: 503 },
      { status: 404 },
      { status: 400, request: { 'id.ssn9': expect.stringMatching(/\*/) as string } },
    ]);
    expect(load(home, 'requests.json')).toMatchObject([{}, {}, {}, { status: 200, path: '/users' }]);
    expect(load(home, 'events.json')).toMatchObject([
      { kind: 'onboarding.completed', body: { note: '***', status: 'pass' } },
    ]);
    expect(load(home, 'deliveries.json')).toMatchObject([
      {
        kind: 'onboarding.completed',
        url: 'http://127.0.0.1:9/***',
        webhook_id: expect.any(String) as string,
      },
    ]);
    expect(load(home, 'expected.json')).toMatchObject({
      outcome_rules: [{ outcome: 'fail', match: { external_id: 'order-*' } }],
      fault_rules: [{ status: 503, hits: 1 }],
    });
    expect(home.read('deep', 'kept', 'daemon.log')).toContain('"event":"stopped"');
  });

  test('exec: a later report takes the place of an earlier one, and follows no link that was put there', async () => {
    using home = execHome();
    mkdirSync(join(home.path, 'kept'), { mode: 0o700 });
    writeFileSync(join(home.path, 'mine'), 'mine');
    symlinkSync('../mine', join(home.path, 'kept', 'report.json'));
    expect((await home.run(['--report', 'kept', ...FAILING])).code).toBe(1);
    expect(JSON.parse(home.read('kept', 'report.json'))).toMatchObject({ command: 'node', exit_code: 1 });
    expect(home.read('mine')).toBe('mine');
  });

  test('exec: a fixture that fails is reported, too', async () => {
    using home = execHome();
    writeFileSync(
      join(home.path, 'people.yaml'),
      'steps:\n  - call: POST /users\n    body:\n      id.dob: Canary\n',
    );
    const argv = ['exec', '--report', 'kept', '--fixture', 'people.yaml', '--', 'touch', 'ran'];
    const { code, stderr } = await runInProcess(argv, home.options());
    expect(code, stderr).not.toBe(0);
    expect(stderr).toMatch(/^Error: .*\n/);
    expect(existsSync(join(home.path, 'ran'))).toBe(false);
    if (!existsSync(join(home.path, 'kept'))) throw new Error(stderr);
    expect(JSON.parse(home.read('kept', 'report.json'))).toMatchObject({
      failure: { code: expect.any(String) as string },
      failed_requests: [{ path: '/users', status: 400 }],
    });
  });

  test('exec: reports a report folder that cannot be written, and keeps the log', async () => {
    using home = execHome();
    const { code, stderr } = await home.run([
      '--report',
      'kept',
      ...node(`require('fs').symlinkSync('mine', 'kept'); process.exit(3)`),
    ]);
    expect(code).toBe(3);
    expect(stderr).toContain('Error: The report cannot be written: ');
    expect(stderr).toContain(`The daemon's log is kept: ${join(home.path, home.left()[0] ?? '?')}`);
    expect(existsSync(join(home.path, 'mine'))).toBe(false);
  });

  test.each([
    ['', '--report is empty'],
    ['link', '--report names a link'],
    ['link/', '--report names a link'],
    ['file', '--report names something that is not a folder'],
    ['file/below', 'The folder of --report cannot be used'],
    ['open', '--report names a folder that other users own or can write to'],
  ])('exec: --report %j is refused before anything starts', async (path, words) => {
    using home = execHome();
    mkdirSync(join(home.path, 'there'));
    symlinkSync('there', join(home.path, 'link'));
    writeFileSync(join(home.path, 'file'), '');
    mkdirSync(join(home.path, 'open'));
    chmodSync(join(home.path, 'open'), 0o777);
    const ran = await runInProcess(['exec', '--report', path, '--', 'touch', 'ran'], home.options());
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(words);
    expect(existsSync(join(home.path, 'ran'))).toBe(false);
  });
});

describe('GitHub Actions', () => {
  test('exec: a run that fails ends with one annotation and a summary of the step', async () => {
    using home = execHome();
    writeFileSync(join(home.path, 'summary.md'), '# Mine\n');
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(home.path, 'summary.md') };
    const { code, stderr } = await home.run(node(calls(3)), { environment });
    expect(code).toBe(3);
    const [stop = '', ...rest] = stderr.trimEnd().split('\n');
    const annotation = rest.pop() ?? '';
    const token = stop.slice('::stop-commands::'.length);
    expect(stop).toMatch(/^::stop-commands::[0-9a-f]{32}$/);
    expect(rest.pop()).toBe(`::${token}::`);
    expect(annotation).toMatch(
      /^::error title=kyclone exec::The command ended with 3%0A.*400 {2}POST \/users .*%0A.*404 {2}GET \/user .*%0A.*503/,
    );
    const summary = home.read('summary.md');
    expect(summary.split('\n').slice(0, 5)).toEqual([
      '# Mine',
      '### kyclone exec&#58; The command ended with 3',
      '',
      '| Status | Request | Code | Why |',
      '|---|---|---|---|',
    ]);
    expect(summary).toMatch(/^\| 404 \| GET \/user \| not&#95;found \| Did you mean /m);
    expect(`${stderr}${summary}`).not.toMatch(/Canary|\b1212\b/);
  });

  test('exec: a run that succeeds says nothing, and a summary that cannot be written changes no exit code', async () => {
    using home = execHome();
    const environment = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(home.path, 'no', 'folder') };
    expect(await home.run(PASSING, { environment })).toEqual({ code: 0, stdout: '', stderr: '' });
    const { code, stderr } = await home.run(node('process.exit(4)'), { environment });
    expect(code).toBe(4);
    expect(stderr).toContain('The file of GITHUB_STEP_SUMMARY cannot be written: ');
  });
});
