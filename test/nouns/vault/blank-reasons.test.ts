/**
 * A blank reason is refused wherever a reason is given, because the access log must say why (contract §2.2, §2.5, §2.6,
 * §10).
 */
import { describe, expect } from 'vitest';
import { reasonFlag, reasonOf } from '../../../src/cli/shell/flags.ts';
import { givenReason } from '../../../src/kernel/text/text.ts';
import { reasonProblem } from '../../../src/tui/actions/subjects.ts';
import { aUser } from '../../support/builders.ts';
import type { TestService } from '../../support/service.ts';
import { accessLog, tokenVault, tokensOf, vaultOf } from '../../support/vault-calls.ts';
import { test } from '../../support/test-with.ts';

const BLANKS = [' ', '\t\n', '\u00a0\u2003', '\u200b\u2060', '\u0007'];

async function lastEntry(service: TestService) {
  const [entry] = await accessLog(service);
  return entry;
}

describe.each(BLANKS)('a reason of %j', (blanks) => {
  test('decrypt with a key is refused, and the refusal is logged', async (service) => {
    const vault = vaultOf(service, await service.user(aUser()));

    const refusal = await vault.refusedDecrypt({ fields: ['id.city'], reason: blanks });

    expect(refusal).toMatchObject({ status: 400, code: 'reason_required' });
    expect(await lastEntry(service)).toMatchObject({ outcome: 'refused', reason: null });
  });

  test('decrypt with a token falls back to the reason of the token, and is refused without one', async (service) => {
    const tokens = tokensOf(service, await service.user(aUser()));
    const minting = { scope: 'decrypt', fields: ['id.city'] };
    const silent = await tokens.mint({ ...minting, decrypt_reason: blanks });
    const reasoned = await tokens.mint({ ...minting, decrypt_reason: 'of the token' });

    const refusal = await tokenVault(service, silent.token).refusedDecrypt({ reason: blanks });
    expect(refusal).toMatchObject({ status: 400, code: 'reason_required' });
    await tokenVault(service, reasoned.token).decrypt({ reason: blanks });
    expect(await lastEntry(service)).toMatchObject({ outcome: 'granted', reason: 'of the token' });
  });

  test('a download is refused, and a blank reason of its token leaves room for that of the query', async (service) => {
    const tokens = tokensOf(service, await service.user(aUser()));
    const { token } = await tokens.mint({
      scope: 'decrypt_download',
      fields: ['id.city'],
      decrypt_reason: blanks,
    });
    const get = (reason: string) =>
      service.send({
        method: 'GET',
        path: `/users/vault/decrypt/${token}?reason=${encodeURIComponent(reason)}`,
        as: null,
      });

    const refused = await get(blanks);
    expect([refused.status, (refused.body as { code: string }).code]).toEqual([400, 'reason_required']);
    expect((await get('of the query')).status).toBe(200);
    expect(await lastEntry(service)).toMatchObject({ outcome: 'granted', reason: 'of the query' });
  });

  test('the flag --reason, the question for it and the form of the inspector refuse it', async () => {
    await expect(parseReason(blanks)).rejects.toThrow('--reason must give a reason');
    await expect(parseReason('a test')).resolves.toBe('a test');
    await expect(reasonOf(undefined, { line: () => Promise.resolve(blanks) })).rejects.toThrow(
      'a reason needs text',
    );
    expect(reasonProblem(blanks)).toContain('Give a reason');
    expect(reasonProblem('a test')).toBeUndefined();
  });
});

function parseReason(text: string): Promise<string> {
  const flag = reasonFlag({ name: 'reason' } as Parameters<typeof reasonFlag>[0]) as unknown as {
    parse: (text: string, context: unknown, flag: { name: string }) => Promise<string>;
  };
  return flag.parse(text, {}, { name: 'reason' });
}

test.each([
  ['078-05-1120', 'a tax number'],
  ['jane@example.com', 'an e-mail address'],
  ['1988-12-30', 'a date'],
  [' (415) 555-0100 ', 'a phone number'],
])('the flag --reason and the question for it refuse %s, and do not repeat it', async (text, what) => {
  const refused = [parseReason(text), reasonOf(undefined, { line: () => Promise.resolve(text) })];
  for (const each of refused) {
    const error = await each.then(String, String);
    expect(error).toContain(`is ${what}, and the record keeps the reason: say why in words`);
    expect(error).not.toContain(text.trim());
  }
  await expect(parseReason('ticket 2026-11-28')).resolves.toBe('ticket 2026-11-28');
});

test('givenReason: a reason is kept as it was given', () => {
  expect(givenReason('  case 4711 ')).toBe('  case 4711 ');
  expect([givenReason(undefined), givenReason(null), givenReason('')]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
