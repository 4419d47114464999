/** Bank links through the real binary and a real daemon. */
import { beforeAll, describe, expect, test } from 'vitest';
import type {
  BankAccount,
  BankLink,
  BankTransaction,
} from '../../../src/nouns/bank-links/endpoints/records.ts';
import { jsonOf, runCli } from '../../support/cli.ts';
import { cliIn, refusal, runInProcess } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { startCli } from '../../support/running-cli.ts';

const daemon = useDaemon({ isDurable: true });
const { json } = cliIn(() => daemon().home);
let user: string;
const { run } = cliIn(() => daemon().home, 'bank');

const aLink = (...more: string[]) => json<BankLink>(['bank', 'link', '--user', user, ...more]);

/** Returns every transaction of the link, one per line of output. */
async function transactionsOf(link: string, ...flags: string[]): Promise<BankTransaction[]> {
  const { stdout } = await run(['transactions', link, '--all', '--json', ...flags]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BankTransaction);
}

/** Checks that nothing is cut in output for a program. Cut text ends in `…`; a masked number begins with one. */
function expectWhole(text: string): void {
  expect(text).not.toMatch(/…(?:\s|$)/);
}

beforeAll(async () => {
  user = String((await json(['users', 'create', 'id.first_name=Jane']))['id']);
});

describe('bank link', () => {
  test('link --intent-only: the token alone on stdout, unused', async () => {
    const minted = await run(['link', '--user', user, '--persona', 'empty', '--intent-only']);
    expect(minted.stdout).toMatch(/^blit_\w+\n$/);
    expect(minted.stderr).toContain('POST /bank_links');
    const use = ['api', 'POST', '/bank_links', '--data', `{"intent_token":"${minted.stdout.trim()}"}`];
    const cli = { home: daemon().home };
    expect([(await runInProcess(use, cli)).code, (await runInProcess(use, cli)).code]).toEqual([0, 1]);
  });

  test('link --link: reconnects a reset link, with the same id', async () => {
    const { id } = await aLink('--persona', 'thin');
    const reset = await run(['links', 'reset', id]);
    expect(reset).toMatchObject({ code: 0, stderr: `To connect it again: kyclone bank link --link ${id}\n` });
    expect((await run(['links', 'get', id])).stdout).toMatch(/^state +error, auth_expired$/m);
    expect((await run(['links', 'refresh', id])).code).toBe(1);
    expect(await json(['bank', 'links', 'reset', id])).toEqual({});
    expect(await json(['bank', 'link', '--link', id])).toMatchObject({
      id,
      state: 'connected',
      error_code: null,
    });
  });
});

describe('bank links refresh', () => {
  test('refresh --wait: prints the refreshed link; 124 and a hint while the clock is frozen', async () => {
    const { id, products } = await aLink('--persona', 'thin');
    await json(['clock', 'freeze']);
    expect(await run(['links', 'refresh', id, '--wait', '--timeout', '0'])).toMatchObject(
      refusal(124, 'kyclone clock advance 2s'),
    );
    const over = new AbortController();
    const wait = ['bank', 'links', 'refresh', id, '--wait', '--product', 'transactions', '--json'];
    const refreshing = runCli(wait, { home: daemon().home }).finally(() => over.abort());
    while (!over.signal.aborted) await json(['clock', 'advance', '2s']);
    await json(['clock', 'resume']);
    const { products: refreshed } = jsonOf(await refreshing) as unknown as BankLink;
    expect(Date.parse(refreshed.transactions?.refreshed_at ?? '')).toBeGreaterThan(
      Date.parse(products.transactions?.refreshed_at ?? ''),
    );
  });
});

describe('link data', () => {
  let link: string;
  beforeAll(async () => {
    ({ id: link } = await aLink('--persona', 'investor'));
  });

  test('transactions --all: every one once; a table for people with its headings once', async () => {
    const all = await transactionsOf(link);
    expect(new Set(all.map(({ transaction_id: id }) => id)).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(200);
    const table = await run(['transactions', link, '--all']);
    expectWhole(table.stdout);
    const lines = table.stdout.trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('DATE'))).toHaveLength(1);
    expect(lines.at(-1)).toBe(`${all.length} in all`);
    expect(lines).toHaveLength(all.length + 2);
  });

  test('transactions --all: a reader that leaves ends it without a word', async () => {
    const { id } = await aLink();
    await using listing = await startCli(['bank', 'transactions', id, '--all'], { home: daemon().home });
    expect(listing.first).toHaveProperty('transaction_id');
    listing.leave();
    expect(await listing.ended).toEqual({ code: 141, stderr: '' });
  });
});

describe('bank personas', () => {
  test('personas: lists all, and shows the data of one', async () => {
    const personas = await json<{ name: string }[]>(['bank', 'personas', 'list']);
    expect(personas).toHaveLength(14);
    expectWhole((await run(['personas', 'list'])).stdout);
    for (const name of ['multi_currency', 'broken']) {
      const shown = await json<{ accounts: unknown[] }>(['bank', 'personas', 'get', name]);
      expect(shown).toMatchObject({ name, kind: 'bank', history_days: expect.any(Number) as number });
      const { id } = await aLink('--persona', name);
      const { accounts } = await json<{ accounts: BankAccount[] }>(['bank', 'accounts', id]);
      expect(shown.accounts).toEqual(
        accounts.map(({ account_type, name: account, balances }) => ({
          account_type,
          name: account,
          currency: balances?.currency,
        })),
      );
    }
  });

  test('personas show: suggests names for an unknown persona', async () => {
    expect(await run(['personas', 'show', 'studnet'])).toMatchObject(refusal(6, 'did you mean "student"?'));
  });
});

describe('bank tick', () => {
  test('tick: moves the clock of the instance, and counts what came and what posted', async () => {
    const { id } = await aLink('--persona', 'default');
    const before = await transactionsOf(id);
    const { now: start } = await json<{ now: string }>(['clock', 'get']);
    const ticked = await json<{ links: unknown[]; now: string }>(`bank tick --days 9 --link ${id}`);
    const after = await transactionsOf(id);
    const posted = (list: BankTransaction[]) => list.filter(({ pending }) => !pending).length;
    expect(after.length).toBeGreaterThan(before.length);
    expect(ticked).toMatchObject({ days: 9, drained: expect.any(Number) as number });
    expect(ticked.links).toEqual([
      {
        id,
        fp_id: user,
        state: 'connected',
        came: after.length - before.length,
        posted: posted(after) - posted(before),
        investments_came: 0,
      },
    ]);
    expect(Date.parse(ticked.now)).toBeGreaterThanOrEqual(Date.parse(start) + 9 * 86_400_000);
  });
});
