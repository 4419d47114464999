/**
 * The canary in bank links: the texts and amounts of transactions, and account numbers. No file that the daemon wrote,
 * no journal entry, no stream message and no event holds them. When a link or user is deleted, even the sealed bytes
 * disappear.
 */
import { expect, test } from 'vitest';
import {
  aStage,
  countKept,
  DIGITS,
  filesWith,
  leaksBelow,
  leaksIn,
  MAIL,
  PHONE,
  sealedIn,
  WORD,
} from './canary.ts';
import { until, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt, done } from '../support/kycloned-calls.ts';
import '../support/tier-all.ts';

type Linked = Awaited<ReturnType<typeof aLink>>;

async function aLink(daemon: Kycloned) {
  const user = await aUser(daemon);
  const body = { fp_id: user };
  const { intent_token } = await done(daemon.control('POST', '/_kyclone/bank_link_intents', { body }));
  const link = (await done(daemon.call('POST', '/bank_links', { body: { intent_token } })))['id'] as string;
  const { accounts } = await done(daemon.call('GET', `/bank_links/${link}/accounts`));
  return { user, link, account: (accounts as { id: string }[])[0]?.id ?? '' };
}

const aRow = (account_id: string) => ({
  account_id,
  amount: `-${DIGITS}.25`,
  date: '2026-02-27',
  transaction_id: 'row-1',
  description: `${WORD} ${MAIL}`,
  raw_description: `${PHONE} ${DIGITS}`,
  category: WORD,
});

/** Wrong members of an import row, with a canary in each place. */
const WRONG: Record<string, unknown>[] = [
  { amount: WORD },
  { amount: `${DIGITS}.123456` },
  { account_id: WORD },
  { date: WORD },
  { description: `${WORD}\u0007` },
  { transaction_id: `${MAIL} ${WORD}` },
  { type: WORD },
  { currency: WORD },
  { datetime: `2026-02-30T${DIGITS}` },
];

test('canary: the data of a bank is in no file, journal, stream or event', async () => {
  const { home, start } = aStage();
  const daemon = await start();
  await done(daemon.control('PATCH', '/_kyclone/settings', { body: { events: { extended: true } } }));
  const { user, link, account } = await aLink(daemon);
  const path = `/bank_links/${link}/import/transactions`;

  await done(daemon.call('POST', path, { body: { transactions: [aRow(account)] } }));
  const failures = [];
  for (const wrong of WRONG) {
    const body = { transactions: [{ ...aRow(account), ...wrong }] };
    failures.push(await daemon.call('POST', path, { body }));
  }
  failures.push(await daemon.call('GET', `/bank_links/${link}/transactions?start_date=${WORD}`));
  failures.push(await daemon.call('POST', '/bank_links', { body: { intent_token: WORD } }));
  const body = { fp_id: user, persona: WORD };
  failures.push(await daemon.control('POST', '/_kyclone/bank_link_intents', { body }));
  failures.push(await daemon.call('POST', `/bank_links/${link}/data_refresh`, { body: [WORD] }));
  await done(daemon.call('POST', `/bank_links/${link}/data_refresh`, { body: ['transactions'] }));
  await done(daemon.control('PUT', '/_kyclone/clock', { body: { action: 'advance', by: '2d' } }));

  // The value is stored; otherwise a search that finds nothing would prove nothing.
  const ofDay = `/bank_links/${link}/transactions?end_date=2026-02-27&start_date=2026-02-27`;
  const { text } = await daemon.call('GET', ofDay);
  expect(text).toContain(WORD);
  expect(text).toContain(`${DIGITS}.25`);
  const field = `bank.${account}.ach_account_number`;
  const number = (await done(decrypt(daemon, user, [field])))[field] as string;
  expect(number).toMatch(/^\d{8,12}$/);

  expect(failures.map(({ status }) => status)).toEqual(failures.map(() => 400));
  expect(failures.flatMap((failure) => leaksIn('a failure', Buffer.from(failure.text)))).toEqual([]);
  for (const path of [
    '/_kyclone/requests?page_size=100',
    '/_kyclone/stream?follow=false',
    '/_kyclone/events?page_size=100',
    '/_kyclone/access-log',
    `/_kyclone/entities/${user}`,
  ]) {
    const reply = await daemon.control('GET', path);
    expect([path, reply.status]).toEqual([path, 200]);
    expect(leaksIn(path, Buffer.from(reply.text))).toEqual([]);
    expect(reply.text).not.toContain(number);
  }
  expect(leaksBelow(home)).toEqual([]);
  expect(filesWith(home, number)).toEqual([]);
  expect(filesWith(home, 'Checking')).toEqual([]);
  await daemon.stop();
  expect(leaksBelow(home)).toEqual([]);
  expect(filesWith(home, number)).toEqual([]);
});

test.each([
  ['link', (daemon: Kycloned, { link }: Linked) => daemon.call('DELETE', `/bank_links/${link}`)],
  ['user', (daemon: Kycloned, { user }: Linked) => daemon.call('DELETE', `/users/${user}`)],
] as const)('canary: of a deleted %s no sealed byte of its bank stays', async (_what, remove) => {
  const { home, start } = aStage();
  const first = await start();
  const linked = await aLink(first);
  await first.stop();
  const sealed = sealedIn(
    first,
    `SELECT sealed FROM (SELECT sealed FROM bank_transactions ORDER BY seq LIMIT 50)
       UNION ALL SELECT sealed FROM bank_accounts UNION ALL SELECT sealed_world FROM bank_links`,
  );
  const kept = () => countKept(home, sealed);
  expect(sealed.length).toBeGreaterThan(10);
  expect(kept()).toBe(sealed.length);

  const daemon = await start();
  expect((await remove(daemon, linked)).status).toBe(200);
  await until('the sealed bytes are gone', () => kept() === 0);
  await daemon.stop();
  expect(kept()).toBe(0);
});
