/** The vault proxy through the real binary and a real daemon, to targets on loopback. */
import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import { jsonOf, spawnCli } from '../../support/cli.ts';
import { cleanEnvironment, ROOT, startDaemon } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon, useShared } from '../../support/use-shared.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { jsonTarget, startTarget } from '../../support/targets.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';

const SSN = '219099999';

const daemon = useDaemon();
const target = useShared(() => loopbackServer((request, response) => answer(request, response)));
let answer: RequestListener;
let id: string;
const path = (name: string) => join(daemon().home, name);
const { run } = cliIn(() => daemon().home);
const send = (...flags: string[]) => run(['proxy', 'send', '--target', target().url, ...flags]);
const template = () => `{"ssn":"{{ ${id}.id.ssn9 | suffix(4) }}"}`;

beforeAll(async () => {
  id = String(jsonOf(await run(['users', 'create', `id.ssn9=${SSN}`, '--json']))['id']);
});
beforeEach(() => {
  answer = answerJson(200, { ok: true });
});

test('egress.extra_roots: only add to the roots of NODE_EXTRA_CA_CERTS, which Node reads at its start', async () => {
  using home = tempDir();
  const [root, another] = [
    await createAuthority('root', Date.now()),
    await createAuthority('another', Date.now()),
  ];
  await using secure = await startTarget({
    tls: await root.issue({ subject: 'target', names: ['127.0.0.1'], usage: 'server' }),
  });
  const [file, extra] = [join(home.path, 'root.pem'), join(home.path, 'another.pem')];
  writeFileSync(file, root.certificate);
  writeFileSync(extra, another.certificate);
  await using _ = await startDaemon({ home: home.path, environment: { NODE_EXTRA_CA_CERTS: file } });
  const { run: runThere } = cliIn(() => home.path);
  const call = () => runThere(['proxy', 'send', '--target', secure.url, '--data', '{}']);

  expect(await call()).toMatchObject({ code: 0 });
  expect(await runThere(['config', 'set', 'egress.extra_roots', `@${extra}`, '--now'])).toMatchObject({
    code: 0,
  });
  expect(await call()).toMatchObject({ code: 0 });
});

describe('proxy send', () => {
  test('proxy send: the target gets the value; stdout has its response, stderr the request id', async () => {
    const sent = await send('--path', '/v1?a=1', '--method', 'PUT', '--data', template(), '-H', 'x-a: b');
    const { host } = new URL(target().url);
    expect(sent).toEqual({
      code: 0,
      stdout: '{"ok":true}',
      stderr: expect.stringMatching(
        new RegExp(`^200 from ${host}; kyclone proxy explain req_\\w+\\n$`),
      ) as string,
    });
    expect(target().seen.at(-1)).toMatchObject({
      method: 'PUT',
      url: '/v1?a=1',
      headers: { 'x-a': 'b', 'content-type': 'application/json' },
      body: '{"ssn":"9999"}',
    });
  });

  test('proxy send: without --data there is no body, and stdin is left alone', async () => {
    await run(['proxy', 'send', '--target', target().url], { stdin: 'not for the target' });
    expect(target().seen.at(-1)).toMatchObject({ body: '', headers: { 'content-length': '0' } });
  });

  test('proxy send: bytes come out as they came in', async () => {
    const bytes = Buffer.from([0, 0xff, 0x0d, 0x0a, 0xfe]);
    answer = (_, response) => void response.setHeader('content-type', 'image/png').end(bytes);
    const argv = [join(ROOT, 'bin', 'kyclone.js'), 'proxy', 'send', '--target', target().url];
    const options = { encoding: 'buffer', env: cleanEnvironment(daemon().home) } as const;
    expect((await promisify(execFile)(process.execPath, argv, options)).stdout).toEqual(bytes);
  });

  test('proxy send, api: where stdout and stderr are one text, a note begins a line of its own', async () => {
    const log = path('both.log');
    const jit = ['api', 'POST', '/vault_proxy/jit', '-H', `x-fp-proxy-target-url: ${target().url}`];
    for (const argv of [['proxy', 'send', '--target', target().url], jit]) {
      const both = openSync(log, 'w');
      await spawnCli(argv, { home: daemon().home, stdio: ['ignore', both, both] }).ended;
      closeSync(both);
      expect(readFileSync(log, 'utf8')).toMatch(/^\{"ok":true\}\n(?:200 from .*\n)?$/);
    }
  });

  test('proxy send: reports a method without a body', async () => {
    const sent = await send('--method', 'GET', '--data', template());
    expect(sent.stderr).toMatch(
      /^GET sends no body: --data is not sent, and its tokens are not read\n200 from /,
    );
  });
});

describe('failures', () => {
  test.each([404, 503])(
    'proxy send: a target that answers %i is a failure, its body is printed',
    async (status) => {
      answer = answerJson(status, { error: 'theirs' });
      const sent = await send();
      expect(sent).toMatchObject({ code: 1, stdout: '{"error":"theirs"}' });
      const { host } = new URL(target().url);
      expect(sent.stderr).toMatch(
        new RegExp(`^Error: ${host} returned ${status}\\nHint: kyclone proxy explain req_\\w+\\n$`),
      );
    },
  );

  test('proxy send: a refusal is the daemon’s, with where it is explained, and nothing on stdout', async () => {
    const before = target().seen.length;
    const sent = await send('--data', `{"a":"{{ ${id}.id.dob }}"}`);
    expect(sent).toMatchObject({ code: 7, stdout: '' });
    expect(sent.stderr).toContain(`${id}.id.dob`);
    expect(sent.stderr).toMatch(/\nHint: check identifier and entity; kyclone proxy explain req_\w+\n$/);
    expect(sent.stderr.match(/Hint/g)).toHaveLength(1);
    expect(target().seen).toHaveLength(before);
  });

  test.each<[string, readonly string[], number, string]>([
    ['a target that may not be called', ['--target', 'http://10.0.0.1'], 7, 'proxy_target_refused'],
    ['a target where nobody is', ['--target', 'http://127.0.0.1:1'], 1, 'proxy_upstream_unreachable'],
    ['an id that is empty', ['--target', 'https://127.0.0.1', '--id', ''], 2, 'usage'],
    ['an empty rule', ['--target', 'https://127.0.0.1', '--id', 'ID', '--ingress', ''], 7, 'invalid_request'],
    ['a pin that is absent', ['--target', 'https://127.0.0.1', '--pin-cert', 'absent'], 2, 'usage'],
  ])('proxy send: %s', async (_, flags, exitCode, code) => {
    const sent = await run(['proxy', 'send', '--json', ...flags.map((flag) => (flag === 'ID' ? id : flag))]);
    expect(sent).toMatchObject({ code: exitCode, stdout: '' });
    expect(JSON.parse(sent.stderr)).toMatchObject({ code, exit_code: exitCode });
  });
});

describe('api', () => {
  const jit = (...flags: string[]) =>
    run(['api', 'POST', '/vault_proxy/jit', '-H', `x-fp-proxy-target-url: ${target().url}`, ...flags]);

  test("api: prints a target's refusal as the target's failure", async () => {
    answer = answerJson(503, { error: 'theirs' });
    const called = await jit();
    expect(called).toMatchObject({ code: 1, stdout: '{"error":"theirs"}\n' });
    const { host } = new URL(target().url);
    expect(called.stderr).toMatch(
      new RegExp(`^Error: ${host} returned 503\\nHint: kyclone proxy explain req_\\w+\\n$`),
    );
  });
});

describe('TLS and ingress', () => {
  test('proxy send: presents a client certificate to a pinned server, and vaults values of the response', async () => {
    const authority = await createAuthority('test authority', Date.now());
    const server = await authority.issue({ subject: 'server', names: ['127.0.0.1'], usage: 'server' });
    const client = await authority.issue({ subject: 'client', usage: 'client' });
    writeFileSync(path('ca.pem'), authority.certificate);
    writeFileSync(path('client.pem'), client.certificate);
    writeFileSync(path('key.pem'), client.key);
    await using secure = await startTarget({
      tls: server,
      handler: jsonTarget({ a: { score: 7 } }),
      requireClientCertificate: authority.certificate,
    });
    const trust = `--pin-cert ${path('ca.pem')} --client-cert ${path('client.pem')} --client-key ${path('key.pem')}`;
    const ingress = '--ingress custom.score=$.a.score --ingress custom.none=$.none';
    const sent = await run(`proxy send --target ${secure.url} --id ${id} ${trust} ${ingress}`);
    expect(sent).toMatchObject({ code: 0, stdout: `{"a":{"score":"${id}.custom.score"}}` });
    expect(sent.stderr).toMatch(/^Nothing matched ingress rule 2\n200 from /);
    const explained = await run(['proxy', 'explain']);
    expect(explained.stdout).toMatch(/^pin matched +its authority$/m);
    expect(explained.stdout).toMatch(/custom\.score=\$\.a\.score +stored$/m);
  });
});

describe.skipIf(!hasTerminal && process.env['CI'] === undefined)('on a terminal', () => {
  const onTerminal = (...flags: string[]) =>
    runOnTerminal(['proxy', 'send', '--target', target().url, ...flags], { home: daemon().home });
  const apiOnTerminal = () => {
    const header = `x-fp-proxy-target-url: ${target().url}`;
    return runOnTerminal(['api', 'POST', '/vault_proxy/jit', '-H', header], { home: daemon().home });
  };

  test('proxy send, api: a third party cannot control the screen', async () => {
    answer = (_, response) => void response.setHeader('content-type', 'text/plain').end('a\u001b[2Jb');
    expect((await onTerminal()).screen).toContain('a\\x1b[2Jb\r\n');
    expect((await apiOnTerminal()).screen).toContain('a\\x1b[2Jb\r\n');
  });

  test('proxy send: reports the target it waits for', async () => {
    answer = (_, response) => void setTimeout(() => response.end('done'), 3_000);
    const { host } = new URL(target().url);
    expect((await onTerminal()).screen).toMatch(
      new RegExp(`^Waiting for ${host}, 30 s at most\r\ndone\r\n200 from `),
    );
    expect((await onTerminal('--json')).screen).not.toContain('Waiting');
  });
});
