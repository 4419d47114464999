/**
 * Runs the steps of the GitHub action one after the other, as a runner does. The steps share files, masks and the
 * variables and paths that they export.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/daemon.ts';
import { until } from '../support/patience.ts';
import { REPORT_FILES } from '../support/report-files.ts';
import { pathWithoutNode, singleFile } from '../support/single-file.ts';
import { tempDir } from '../support/temp-dir.ts';

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}
const action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as {
  inputs: Record<string, { default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: Step[] };
};

type Values = Record<string, string>;

/** Reads NAME<<DELIMITER blocks, as the runner does with its files. */
function blocks(file: string): Values {
  const found: Values = {};
  const lines = readFileSync(file, 'utf8').split('\n');
  for (let at = 0; at < lines.length - 1; at++) {
    const [, name = '', delimiter = ''] = /^([\w-]+)<<(.+)$/.exec(lines[at] ?? '') ?? [];
    expect(name, `line ${at + 1} of ${file}`).not.toBe('');
    const end = lines.indexOf(delimiter, at + 1);
    found[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return found;
}

/** A job of a runner. Variables and paths that a step exports apply to the steps after it. */
function job({ hasNode = true } = {}) {
  const folder = tempDir();
  const temp = join(folder.path, 'temp');
  const workspace = join(folder.path, 'workspace');
  for (const each of [temp, workspace]) mkdirSync(each);
  let environment: Values = {};
  const paths: string[] = [];
  const masks: string[] = [];

  const { PATH = '' } = process.env;
  const tools = hasNode ? PATH : pathWithoutNode(folder.path);

  function shell(script: string, more: Values = {}) {
    const files = ['GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_PATH', 'GITHUB_STEP_SUMMARY'];
    const named = Object.fromEntries(files.map((name) => [name, join(folder.path, name)]));
    for (const file of Object.values(named)) writeFileSync(file, '');
    const { status, stdout, stderr } = spawnSync('/bin/bash', ['-e', '-o', 'pipefail', '-c', script], {
      cwd: workspace,
      encoding: 'utf8',
      env: {
        PATH: [...paths, tools].join(':'),
        HOME: folder.path,
        GITHUB_ACTIONS: 'true',
        CI: 'true',
        GITHUB_ACTION_PATH: ROOT,
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: temp,
        // Nothing listens there: what goes through the proxy of the runner fails.
        http_proxy: 'http://127.0.0.1:9',
        ...environment,
        ...named,
        ...more,
      },
    });
    const seen = masks.length;
    masks.push(...[...stdout.matchAll(/^::add-mask::(.*)$/gm)].map(([, value = '']) => value));
    const given = blocks(named['GITHUB_ENV'] ?? '');
    environment = { ...environment, ...given };
    paths.push(
      ...readFileSync(named['GITHUB_PATH'] ?? '', 'utf8')
        .split('\n')
        .filter(Boolean),
    );
    return {
      status,
      stdout,
      stderr,
      given,
      newMasks: masks.slice(seen),
      outputs: blocks(named['GITHUB_OUTPUT'] ?? ''),
    };
  }

  /** Runs a step that uses the action. */
  function use(inputs: Values) {
    expect(action.runs.using).toBe('composite');
    const [script, upload, ...others] = action.runs.steps;
    expect(others).toEqual([]);
    const given = Object.fromEntries(
      Object.entries(action.inputs).map(([name, { default: text }]) => [name, inputs[name] ?? text]),
    );
    expect(Object.keys(given)).toEqual(expect.arrayContaining(Object.keys(inputs)));
    const scope = (outputs: Values) => (text: string) =>
      text.replace(/\$\{\{ (inputs|steps\.instance\.outputs)\.([\w-]+) \}\}/g, (_all, from, name) =>
        from === 'inputs' ? (given[name as string] ?? '?') : (outputs[name as string] ?? ''),
      );
    expect(script?.run, 'no expression is read by the shell').not.toContain('${{');
    const env = Object.entries(script?.env ?? {}).map(([name, text]) => [name, scope({})(text)]);
    const ran = shell(script?.run ?? '', Object.fromEntries(env) as Values);
    expect(upload?.if).toBe("${{ steps.instance.outputs.report != '' }}");
    const report = ran.outputs['report'];
    const uploaded =
      report === undefined
        ? undefined
        : Object.fromEntries(
            Object.entries(upload?.with ?? {}).map(([name, text]) => [name, scope(ran.outputs)(text)]),
          );
    return { ...ran, uploaded };
  }
  return {
    use,
    shell,
    temp,
    workspace,
    masks,
    environment: () => environment,
    [Symbol.dispose]() {
      const { KYCLONE_ACTION_HOME: home } = environment;
      const pid = home !== undefined && existsSync(home) ? locatorPid(home) : undefined;
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}

function locatorPid(home: string): number | undefined {
  const file = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('daemon.json'),
  );
  return file === undefined
    ? undefined
    : (JSON.parse(readFileSync(join(home, file), 'utf8')) as { pid: number }).pid;
}

const CALL = `curl -s -o /dev/null -w '%{http_code}' -u "$KYCLONE_API_KEY:"`;

test('action: the steps between have a masked key and an instance; a successful job leaves nothing behind', () => {
  using run = job();
  const started = run.use({ seed: 'a b', fixtures: '\n', options: '--set\nevents.extended=true\n' });
  expect(started.status, `${started.stdout}${started.stderr}`).toBe(0);
  const secrets = ['KYCLONE_API_KEY', 'KYCLONE_LIVE_API_KEY', 'KYCLONE_CONTROL_TOKEN'].map(
    (name) => started.given[name],
  );
  expect(started.newMasks).toEqual(secrets);
  const shown = started.stdout.replace(/^::add-mask::.*$/gm, '');
  for (const secret of secrets) expect(`${shown}${started.stderr}`).not.toContain(secret);
  expect(started.stdout.indexOf('::add-mask::')).toBe(0);
  expect(started.outputs['base-url']).toBe(started.given['KYCLONE_BASE_URL']);

  expect(run.shell(`${CALL} "$KYCLONE_BASE_URL/users"`).stdout).toBe('200');
  const created = run.shell('kyclone users create id.first_name=Jane --output id');
  expect(created.stdout).toMatch(/^fp_id_/);

  const { KYCLONE_ACTION_HOME: home = '', KYCLONE_BASE_URL: url = '' } = run.environment();
  expect(statSync(home).mode & 0o777).toBe(0o700);
  const stopped = run.use({ mode: 'stop', 'job-status': 'success' });
  expect(stopped).toMatchObject({ status: 0, outputs: {}, uploaded: undefined });
  expect(run.shell(`${CALL} ${url}/users || true`).stdout).toBe('000');
  expect(readdirSync(run.temp)).toEqual([]);
});

test('action: a failed job uploads the files of exec --report, values masked, as an artefact', () => {
  using run = job();
  run.use({});
  run.shell(
    `${CALL} "$KYCLONE_BASE_URL/users" -H 'content-type: application/json' -d '{"id.dob": "Canary"}'`,
  );
  const prepared = run.shell(
    [
      'kyclone webhooks create http://127.0.0.1:9/Canary --events onboarding.completed',
      'kyclone webhooks trigger onboarding.completed || true',
      'kyclone outcomes create fail --external-id "order-*"',
    ].join('\n'),
  );
  expect(prepared.status, prepared.stderr).toBe(0);
  const stopped = run.use({ mode: 'stop', 'job-status': 'failure', artifact: 'mine' });
  expect(stopped.status, stopped.stdout).toBe(0);
  expect(stopped.uploaded).toMatchObject({ name: 'mine', path: stopped.outputs['report'] });
  const report = stopped.outputs['report'] ?? '';
  const files = readdirSync(report).sort();
  expect(files).toEqual(REPORT_FILES);
  const texts = files.map((name) => readFileSync(join(report, name), 'utf8'));
  for (const text of texts) {
    expect(text).not.toContain('Canary');
    for (const secret of run.masks) expect(text).not.toContain(secret);
  }
  const read = (name: string) => JSON.parse(texts[files.indexOf(name)] ?? '') as unknown;
  expect(read('failed-requests.json')).toMatchObject([{ method: 'POST', path: '/users', status: 400 }]);
  expect(read('report.json')).toMatchObject({ command: null, failed_requests: [{ status: 400 }] });
  const [event] = read('events.json') as { id: string }[];
  expect(event).toMatchObject({ kind: 'onboarding.completed' });
  expect(read('deliveries.json')).toMatchObject([{ event_id: event?.id, url: 'http://127.0.0.1:9/***' }]);
  expect(read('expected.json')).toMatchObject({ outcome_rules: [{ match: { external_id: 'order-*' } }] });
  expect(texts[0]).toContain('"event":"started"');
  expect(stopped.stdout).toMatch(
    /^::stop-commands::(.+)\nThe report is in .*\nThe last failed requests:\n.*400 {2}POST \/users.*\n::\1::\n/m,
  );
  const { KYCLONE_ACTION_HOME: home = '' } = run.environment();
  expect(existsSync(home)).toBe(false);
});

test('action: without Node, the single executable runs the steps, the instance and the commands between', () => {
  using run = job({ hasNode: false });
  copyFileSync(singleFile(), join(run.workspace, 'kyclone file'));
  expect(run.shell('command -v node || echo none').stdout).toBe('none\n');
  const started = run.use({ file: 'kyclone file', seed: 'a b' });
  expect(started.status, `${started.stdout}${started.stderr}`).toBe(0);
  expect(started.stderr).toBe('');
  expect(started.newMasks).toHaveLength(3);
  expect(run.shell('kyclone users create id.first_name=Jane --output id').stdout).toMatch(/^fp_id_/);
  const stopped = run.use({ mode: 'stop', 'job-status': 'failure' });
  expect(stopped.status, stopped.stdout).toBe(0);
  expect(readdirSync(stopped.outputs['report'] ?? '').sort()).toEqual(REPORT_FILES);
  expect(existsSync(run.environment()['KYCLONE_ACTION_HOME'] ?? '')).toBe(false);
});

test('action: without Node and without the file, the step fails and names the input', () => {
  using run = job({ hasNode: false });
  for (const inputs of [{}, { file: 'nowhere' }]) {
    const ran = run.use(inputs);
    expect(ran.status).toBe(1);
    expect(ran.stdout).toBe(
      '::error title=kyclone::This runner has no Node: input file must name the executable of kyclone\n',
    );
  }
});

test("action: a refused start fails the step with the command's message, and the last step then passes", () => {
  using run = job();
  const started = run.use({ clock: 'now; touch pwned', options: '--no-such-flag' });
  expect(started.status).toBe(1);
  expect(started.stderr).toContain('--clock takes an ISO 8601 time');
  expect(started.stdout).toContain('::error title=kyclone::kyclone start ended with 2');
  expect(readdirSync(run.workspace)).toEqual([]);
  expect(run.use({ mode: 'stop', 'job-status': 'failure' })).toMatchObject({
    status: 0,
    uploaded: undefined,
  });
  expect(readdirSync(run.temp)).toEqual([]);
});

test('action: an instance killed during the job leaves its log', async () => {
  using run = job();
  run.use({});
  const { KYCLONE_ACTION_HOME: home = '' } = run.environment();
  const pid = locatorPid(home);
  expect(pid).toBeGreaterThan(1);
  // The log is written some moments after what it reports.
  const logs = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.log'),
  );
  await until('the log has the start', () =>
    logs.some((log) => readFileSync(join(home, log), 'utf8').includes('"event":"started"')),
  );
  process.kill(pid ?? 0, 'SIGKILL');
  const stopped = run.use({ mode: 'stop', 'job-status': 'cancelled' });
  expect(stopped.status, stopped.stderr).toBe(0);
  expect(stopped.stdout).toContain(
    '::warning title=kyclone::The journal could not be read: the report contains only the log',
  );
  const report = stopped.outputs['report'] ?? '';
  expect(readFileSync(join(report, 'daemon.log'), 'utf8')).toContain('"event":"started"');
  expect(JSON.parse(readFileSync(join(report, 'report.json'), 'utf8'))).toMatchObject({
    missing_because: expect.any(String) as string,
  });
  expect(existsSync(home)).toBe(false);
});

test.each([
  [{ mode: 'Start' }, 'mode is start or stop'],
  [{ mode: 'stop' }, 'mode stop needs job-status'],
  [{ package: 'nowhere%0A' }, 'package is not a folder that contains kyclone'],
  [{ file: '.' }, 'file is not the executable of kyclone'],
])('action: %j is refused', (inputs, words) => {
  using run = job();
  const ran = run.use(inputs);
  expect(ran.status).toBe(1);
  expect(ran.stdout).toContain(`::error title=kyclone::${words}`);
});

test('action: stop removes only the folder that start created', () => {
  using run = job();
  const mine = join(run.workspace, 'kyclone-mine');
  mkdirSync(mine);
  symlinkSync(mine, join(run.temp, 'kyclone-link'));
  expect(run.use({ mode: 'stop', 'job-status': 'failure' })).toMatchObject({
    status: 0,
    uploaded: undefined,
  });
  for (const path of [mine, join(run.temp, 'kyclone-link'), run.temp]) {
    run.shell(`printf 'KYCLONE_ACTION_HOME<<x\\n%s\\nx\\n' '${path}' >> "$GITHUB_ENV"`);
    const ran = run.use({ mode: 'stop', 'job-status': 'success' });
    expect(ran.stdout).toContain('KYCLONE_ACTION_HOME is not the folder that mode start created');
    expect(existsSync(mine)).toBe(true);
  }
});
