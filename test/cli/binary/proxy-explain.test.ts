/** Explanations of calls of the vault proxy, through the real binary and a real daemon. */
import { expect, test } from 'vitest';
import { jsonOf } from '../../support/cli.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon, useShared } from '../../support/use-shared.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';

const REQUEST_ID = /^x-request-id: (\S+)$/m;

const daemon = useDaemon();
const target = useShared(() => loopbackServer(answerJson(200, { ok: true })));
const { run } = cliIn(() => daemon().home);
const send = (...flags: string[]) => run(['proxy', 'send', '--target', target().url, ...flags]);

test('proxy explain: without an id the newest call, and which that is', async () => {
  await send('--json');
  const { request_id: newest } = jsonOf(await send('--json'));
  await run(['users', 'list']);
  const explained = await run(['proxy', 'explain']);
  expect(explained.code).toBe(0);
  expect(explained.stderr).toMatch(new RegExp(`^Request ${String(newest)}, `));
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
