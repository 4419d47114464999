/** Bank links, and imports of the largest size. */
import type { Caller } from './calls.ts';

/** About as many as a body of 1 MiB holds (contract §7.4). */
const ROWS = 4_000;
const LIMIT_BYTES = 1024 * 1024;

/** Makes a link of a new user. Returns the link's id and its first account. */
export async function aLink(ask: Caller, persona: string): Promise<{ id: string; account: string }> {
  const { id: fp_id } = (await ask('POST', '/users', {})) as { id: string };
  const intent = (await ask('POST', '/_kyclone/bank_link_intents', { fp_id, persona })) as {
    intent_token: string;
  };
  const { id } = (await ask('POST', '/bank_links', { intent_token: intent.intent_token })) as { id: string };
  const { accounts } = (await ask('GET', `/bank_links/${id}/accounts`)) as { accounts: { id: string }[] };
  return { id, account: accounts[0]?.id ?? '' };
}

/** Returns a body of nearly the largest size. Every round has different transactions. */
export function anImport(account: string, round: number): string {
  const rowOf = (serial: number, filler: number) => ({
    account_id: account,
    amount: `-${serial % 900}.25`,
    date: '2026-01-15',
    transaction_id: `r${round}-${serial}`,
    description: 'Groceries'.padEnd(filler, '.'),
  });
  const bodyOf = (filler: number) =>
    JSON.stringify({ transactions: Array.from({ length: ROWS }, (_, serial) => rowOf(serial, filler)) });
  const spare = LIMIT_BYTES - Buffer.byteLength(bodyOf(0)) - ROWS;
  return bodyOf('Groceries'.length + Math.floor(spare / ROWS));
}
