/** Stored proxy configurations and explanations through the real binary, a real daemon and a real target. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthority } from '../../../src/cli/echo/authority.ts';
import type { AnswerOf } from '../../../src/contract/registry.ts';
import { jsonOf, type CliOutcome } from '../../support/cli.ts';
import { refusal, runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon, useShared } from '../../support/use-shared.ts';
import { startTarget } from '../../support/targets.ts';

type Configuration = AnswerOf<'GET /_kyclone/proxies/{id}'>;

const SECRET = 'Bearer canary-4713';
const NOBODY = `proxy_id_${'0'.repeat(22)}`;

const daemon = useDaemon({ isDurable: true });
const target = useShared(startTarget);
let user: string;
const file = (name: string) => join(daemon().home, name);

const run = (argv: readonly string[], stdin?: string): Promise<CliOutcome> =>
  runInProcess(['proxy', ...argv], { home: daemon().home, ...(stdin !== undefined && { stdin }) });

async function json<T = Configuration>(argv: readonly string[], stdin?: string): Promise<T> {
  const outcome = await run([...argv, '--json'], stdin);
  expect(outcome).toMatchObject({ code: 0 });
  expect(outcome.stdout + outcome.stderr).not.toContain('canary-4713');
  return jsonOf(outcome) as T;
}

beforeAll(async () => {
  const made = await runInProcess(['users', 'create', 'id.city=Enclave', '--json'], { home: daemon().home });
  user = (jsonOf(made) as { id: string }).id;
  writeFileSync(file('header.txt'), `Authorization: ${SECRET}\n`);
});

const create = (...flags: string[]) => json(['configs', 'create', '--target', target().url, ...flags]);

describe('proxy configs', () => {
  test('configs: create, send with it, change, disable, delete', async () => {
    const flags = ['--secret-header', `@${file('header.txt')}`, '-H', 'X-Version: 2', '--reason', 'check'];
    const made = await create('--name', 'Checks', '--method', 'PUT', ...flags);
    expect(made).toMatchObject({
      name: 'Checks',
      url: target().url,
      method: 'PUT',
      access_reason: 'check',
      enabled: true,
      headers: { 'x-version': '2' },
      secret_headers: { authorization: '***' },
    });

    const sending = ['send', '--config', made.id, '--id', user, '--data', '{"city": "{{ id.city }}"}'];
    const sent = await run([...sending, '--path', 'checks', '-H', 'x-own: mine']);
    expect([sent.code, sent.stdout]).toEqual([0, '{"ok":true}']);
    expect(target().requests.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/checks',
      headers: { authorization: SECRET, 'x-version': '2', 'x-own': 'mine' },
    });
    expect(target().requests.at(-1)?.body.toString()).toBe('{"city": "Enclave"}');

    const shown = await run(['configs', 'get', made.id]);
    expect(shown.stdout).toMatch(/^target +PUT http:\/\/127\.0\.0\.1:\d+$/m);
    expect(shown.stdout).toMatch(/^secret headers +authorization: \*\*\*$/m);
    const listed = await run(['configs', 'list']);
    expect(listed.stdout).toContain(made.id);
    expect((await run(['explain'])).stdout).toContain('authorization');

    const changed = await json(
      ['configs', 'update', made.id, '--secret-header', '@-', '--clear', 'headers', '--disable'],
      'authorization: ***\nx-more: Bearer canary-4713\n',
    );
    expect(changed).toMatchObject({
      headers: {},
      secret_headers: { authorization: '***', 'x-more': '***' },
      enabled: false,
    });
    const refused = await run(sending);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('The proxy configuration is disabled');
    await json(['configs', 'update', made.id, '--enable']);
    expect((await run(sending)).code).toBe(0);
    expect(target().requests.at(-1)?.headers).toMatchObject({ authorization: SECRET, 'x-more': SECRET });

    expect(await run(['configs', 'delete', made.id])).toMatchObject({ code: 3, stdout: '' });
    expect(await json(['configs', 'delete', made.id, '--yes'])).toEqual({});
    expect((await run(['configs', 'get', made.id])).code).toBe(6);
    expect((await run(sending)).code).toBe(6);
  });

  test('configs: certificates and rules from files and flags', async () => {
    const authority = await createAuthority('a root', Date.now());
    const client = await authority.issue({ subject: 'caller', usage: 'client' });
    writeFileSync(file('ca.pem'), authority.certificate);
    writeFileSync(file('client.pem'), client.certificate);
    writeFileSync(file('client-key.pem'), client.key);
    const identity = ['--client-cert', file('client.pem'), '--client-key', file('client-key.pem')];
    const rules = ['--ingress', 'custom.score=$.score', '--ingress', 'custom.city = $.city | to_uppercase'];

    const argv = ['configs', 'create', '--target', 'https://api.example.com/', ...identity, ...rules];
    const made = await json([...argv, '--pin-cert', file('ca.pem')]);

    expect(made).toMatchObject({
      client_identity: { subject: 'CN=caller' },
      pins: [authority.certificate],
      ingress: {
        content_type: 'json',
        rules: [
          { token: 'custom.score', target: '$.score' },
          { token: 'custom.city', target: '$.city | to_uppercase' },
        ],
      },
    });
    const clear = ['--clear', 'client-cert', '--clear', 'pins', '--clear', 'ingress'];
    const { client_identity: gone, ...cleared } = await json(['configs', 'update', made.id, ...clear]);
    expect([gone, cleared.pins, cleared.ingress.rules]).toEqual([undefined, [], []]);
  });

  test('configs: a dry run shows no secret', async () => {
    const header = ['--secret-header', `@${file('header.txt')}`, '-H', 'x-plain: canary-4713'];
    const dry = await run(['configs', 'create', '--target', target().url, ...header, '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.stdout + dry.stderr).toContain('/_kyclone/proxies');
    expect(dry.stdout + dry.stderr).not.toContain('canary-4713');
  });

  test.each<[argv: string[], code: number, message: string]>([
    [['configs', 'create', '--target', 'nowhere'], 7, '--target is not an absolute URL'],
    [['configs', 'create', '--target', 'http://a.example', '--client-cert', 'x'], 2, '--client-key'],
    [['configs', 'create', '--target', 'http://a.example', '-H', '@-', '--secret-header', '@-'], 2, 'stdin'],
    [['configs', 'create', '--target', 'http://a.example', '-H', 'a: 1', '-H', 'A: 2'], 2, 'given twice'],
    [['configs', 'update', NOBODY], 2, 'There is nothing to change'],
    [['configs', 'update', NOBODY, '--reason', 'a', '--clear', 'reason'], 2, '--clear'],
    [['send', '--data', 'x'], 2, '--target'],
    [['send', '--config', NOBODY, '--target', 'http://a.example'], 2, '--target'],
    [['send', '--config', NOBODY, '--reason', 'a'], 2, '--reason'],
    [['send', '--config', '../jit', '--data', 'x'], 6, ''],
  ])('%j: ends with %i', async (argv, code, message) => {
    const failed = await run(argv);
    expect([failed.code, failed.stderr]).toEqual([code, expect.stringContaining(message) as string]);
    expect(failed.stderr).not.toContain('canary');
  });
});

describe('proxy explain', () => {
  const send = () => run(['send', '--target', target().url, '--json']);

  test('proxy explain: without an id the newest call, and which that is', async () => {
    await send();
    const { request_id: newest } = jsonOf(await send());
    await runInProcess(['users', 'list'], { home: daemon().home });
    const explained = await run(['explain']);
    expect(explained.code).toBe(0);
    expect(explained.stderr).toMatch(new RegExp(`^Request ${String(newest)}, `));
  });

  test('proxy explain: another call, or an unknown one, is not found', async () => {
    const users = await runInProcess(['api', 'GET', '/users', '-i'], { home: daemon().home });
    const [, other = ''] = /^x-request-id: (req_\w+)$/m.exec(users.stdout) ?? [];
    for (const requestId of [other, 'req_unknown']) {
      const explained = await run(['explain', requestId]);
      expect(explained).toMatchObject({ code: 6, stdout: '' });
      expect(explained.stderr).toMatch(
        /^Error: No proxy call with this id since the daemon started \(the journal keeps the last 2,000 requests\)\nHint: /,
      );
    }
  });

  test('proxy explain: there was no call yet', async () => {
    await runInProcess(['api', 'DELETE', '/_kyclone/requests'], { home: daemon().home });
    expect(await run(['explain'])).toMatchObject(refusal(6, /^Error: There was no proxy call/));
  });
});
