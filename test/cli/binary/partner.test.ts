/** `kyclone partner echo`, the real binary: its responses, its output, its end, and who sends to it. */
import { constants } from 'node:os';
import { describe, expect, test } from 'vitest';
import { aReadyUser, asFields } from '../../support/builders.ts';
import { jsonOf } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { startDaemon } from '../../support/daemon.ts';
import { startCli } from '../../support/running-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';

const CREDENTIALS = { KYCLONE_PARTNER_API_KEY: 'key-value', KYCLONE_PARTNER_API_SECRET: 'secret-value' };

const startPartner = (home: string, ...options: string[]) =>
  startCli(['partner', 'echo', ...options], { home });

async function post(url: string, body: string): Promise<number> {
  const authorization = `Basic ${Buffer.from('key-value:secret-value').toString('base64')}`;
  return (await fetch(url, { method: 'POST', body, headers: { authorization } })).status;
}

describe('partner echo', () => {
  test('partner echo: prints where it listens, then each request, without its values', async () => {
    using home = tempDir();
    await using partner = await startPartner(home.path);
    const { url, hostname } = partner.first;
    expect(partner.first).toMatchObject({ type: 'listening', url: `http://${String(hostname)}` });
    expect(await post(`${String(url)}/v1/accounts/a/cip?q=query-value`, '{"kyc":"body-value"}')).toBe(200);
    const event = await partner.next();
    expect(event).toMatchObject({ type: 'request', number: 1, path: '/v1/accounts/a/cip', members: ['kyc'] });
    expect(JSON.stringify(event)).not.toMatch(/-value|Basic/);
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('partner echo: %s ends it in order', async (signal) => {
    using home = tempDir();
    await using partner = await startPartner(home.path);
    partner.kill(signal);
    expect(await partner.ended).toEqual({ code: 128 + constants.signals[signal], stderr: '' });
  });

  test('partner echo: ends with the reader of its output', async () => {
    using home = tempDir();
    await using partner = await startPartner(home.path);
    partner.leave();
    // The partner may end before it has responded.
    await post(`${String(partner.first['url'])}/v1/accounts/a/cip`, '{}').catch(() => undefined);
    expect(await partner.ended).toEqual({ code: 128 + constants.signals.SIGPIPE, stderr: '' });
  });
});

test("users cip: prints the partner's response, and the partner prints the request", async () => {
  await using daemon = await startDaemon();
  const { home } = daemon;
  const run = (argv: readonly string[], environment: Record<string, string> = CREDENTIALS) =>
    runInProcess(['users', ...argv], { home, environment });
  const id = String(jsonOf(await run(['create', ...asFields(aReadyUser()), '--json']))['id']);
  expect((await run(['kyc', id, '--result', 'pass', '--expect', 'pass'])).code).toBe(0);
  await using partner = await startPartner(home);
  const cip = ['cip', id, '--approver', 'Ann', '--hostname', String(partner.first['hostname'])];

  const accepted = await run([...cip, '--account', 'acct-1']);
  expect(accepted).toMatchObject({ code: 0, stderr: '' });
  expect(accepted.stdout).toMatch(/^status +200\nby +the partner$/m);
  expect(await partner.next()).toMatchObject({ path: '/v1/accounts/acct-1/cip', status: 200 });

  const refused = await run([...cip, '--account', 'reject-1', '--json']);
  expect(refused.code).toBe(1);
  expect(jsonOf(refused)).toMatchObject({ status_code: 422, partner_response: { code: 'cip_rejected' } });
  const unknown = await run([...cip, '--account', 'acct-1'], {
    ...CREDENTIALS,
    KYCLONE_PARTNER_API_KEY: 'bad-value',
  });
  expect(unknown).toMatchObject({ code: 1, stderr: 'Error: The partner answered 401\n' });

  const literal = await run([...cip, '--account', 'acct-1', '--api-key', 'literal-value']);
  expect(literal).toMatchObject({ code: 2, stdout: '' });
  expect(literal.stderr).not.toContain('literal-value');
  expect((await run([...cip, '--account', 'acct-1'], {})).code).toBe(3);
  partner.kill('SIGTERM');
  await partner.ended;
  expect((await run([...cip, '--account', 'acct-1'])).code).toBe(1);
});
