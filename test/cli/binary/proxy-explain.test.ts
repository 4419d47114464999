/** Dry runs of the vault proxy and the explanations of its calls, through the real binary and a real daemon. */
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon, useShared } from '../../support/use-shared.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';

const SSN = '219099999';
const REQUEST_ID = /^x-request-id: (\S+)$/m;

const daemon = useDaemon();
const target = useShared(() => loopbackServer(answerJson(200, { ok: true })));
let id: string;
const { run } = cliIn(() => daemon().home);
const send = (...flags: string[]) => run(['proxy', 'send', '--target', target().url, ...flags]);
const template = () => `{"ssn":"{{ ${id}.id.ssn9 | suffix(4) }}"}`;

beforeAll(async () => {
  id = String(jsonOf(await run(['users', 'create', `id.ssn9=${SSN}`, '--json']))['id']);
});

describe('proxy render', () => {
  const render = (...flags: string[]) =>
    run(['proxy', 'render', '--target', 'https://127.0.0.1/checks', '--data', template(), ...flags]);

  test('proxy render: what would be sent, by masks, and how to see more', async () => {
    const before = target().seen.length;
    const rendered = await render('--method', 'PATCH', '-H', 'x-a: b');
    expect(rendered.code).toBe(0);
    expect(rendered.stdout).toMatch(/^PATCH https:\/\/127\.0\.0\.1\/checks\n(?:.+\n)+\n\{"ssn":".+"\}\n$/);
    expect(rendered.stdout).toContain('\nx-a: b\n');
    expect(rendered.stdout).not.toContain('"9999"');
    expect(rendered.stderr).toMatch(/values are masked: --reason/);
    expect(target().seen).toHaveLength(before);
  });

  test('proxy render --reason: the values, with an entry in the access log', async () => {
    const rendered = await render('--reason', 'case 4711');
    expect(rendered.stdout).toContain('\n\n{"ssn":"9999"}\n');
    expect(rendered.stderr).toMatch(/access log/);
    const { data } = jsonOf(await run(['audit', 'list', '--operation', 'reflect', '--json']));
    expect(data).toMatchObject([{ reason: 'case 4711' }]);
  });

  test('proxy render --json: the body of the API', async () => {
    const rendered = await render('--json');
    expect(rendered).toMatchObject({ code: 0, stderr: '' });
    expect(jsonOf(rendered)).toMatchObject({ method: 'POST', masked: true, encoding: 'utf8' });
  });

  test('proxy render: a refusal is a failure', async () => {
    const rendered = await run(['proxy', 'render', '--target', 'http://10.0.0.1']);
    expect(rendered).toMatchObject({ code: 7, stdout: '' });
  });
});

describe('proxy explain', () => {
  test('proxy explain: a request by its id, values masked', async () => {
    const { request_id: requestId } = jsonOf(await send('--data', template(), '--json'));
    await send();
    const explained = await run(['proxy', 'explain', String(requestId)]);
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(explained.stdout).toMatch(new RegExp(`^target +${target().url}/$`, 'm'));
    expect(explained.stdout).toMatch(new RegExp(`^${id}\\.id\\.ssn9 +yes +suffix +\\*\\S* +`, 'm'));
    expect(explained.stdout).toMatch(/^status +200$/m);
    expect(explained.stdout).not.toContain(SSN);
  });

  test('proxy explain: without an id the newest call, and which that is', async () => {
    await send('--json');
    const { request_id: newest } = jsonOf(await send('--json'));
    await run(['users', 'list']);
    const explained = await run(['proxy', 'explain']);
    expect(explained.code).toBe(0);
    expect(explained.stderr).toMatch(new RegExp(`^Request ${String(newest)}, `));
  });

  test('proxy explain: a call that was refused, hints last', async () => {
    await run(['proxy', 'send', '--target', 'http://10.0.0.1']);
    const { stdout } = await run(['proxy', 'explain']);
    expect(stdout).toMatch(/^outcome +400 proxy_target_refused\ncall +not sent\n\n/);
    expect(stdout).toMatch(/\nHint: .+egress\.policy.+\n$/);
  });

  test('proxy explain: a dry run is distinguished from a call', async () => {
    await run(['proxy', 'render', '--target', target().url]);
    expect((await run(['proxy', 'explain'])).stdout).toMatch(
      /^call +render, a dry run: nothing was sent\n\n/,
    );
  });

  test('proxy explain --json: the body of the API', async () => {
    await send();
    const explained = await run(['proxy', 'explain', '--json']);
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(jsonOf(explained)).toMatchObject({ policy: 'local', tokens: [], upstream: { status: 200 } });
  });

  test('proxy explain: another call, or an unknown one, is not found', async () => {
    const [, other = ''] = REQUEST_ID.exec((await run(['api', 'GET', '/users', '-i'])).stdout) ?? [];
    expect(other).toMatch(/^req_/);
    for (const requestId of [other, 'req_unknown']) {
      const explained = await run(['proxy', 'explain', requestId]);
      expect(explained).toMatchObject({ code: 6, stdout: '' });
      expect(explained.stderr).toMatch(
        /^Error: No proxy call with this id since the daemon started \(the journal keeps the last 2,000 requests\)\nHint: /,
      );
    }
  });

  test('proxy explain: there was no call yet', async () => {
    await run(['api', 'DELETE', '/_kyclone/requests']);
    const explained = await run(['proxy', 'explain']);
    expect(explained).toMatchObject({ code: 6, stdout: '' });
    expect(explained.stderr).toMatch(/^Error: There was no proxy call/);
  });
});
