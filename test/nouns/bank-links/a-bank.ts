/** The data of a bank, computed by the simulation itself, and what the API returns of a link. */
import { dayOf } from '../../../src/kernel/time/civil-date.ts';
import { createBankSimulation } from '../../../src/bank-simulation/index.ts';
import type { BankEntry, SimulatedEntry } from '../../../src/bank-simulation/simulation.ts';
import { completeDays, loadBankSimulations } from '../../../src/nouns/bank-links/service/simulations.ts';
import { bankOf, type NewLink } from '../../support/bank-links.ts';
import { NOON, startService, type TestService } from '../../support/service.ts';
import { vaultOf } from '../../support/vault-calls.ts';

export const DAY = 86_400_000;

export const SECOND = 1_000;
export const LINK_UPDATED = 'user.bank_link_updated';

export type Bank = ReturnType<typeof bankOf>;

/** Makes a link, and a user for it. */
export async function aLink(service: TestService, options?: NewLink) {
  const bank = bankOf(service);
  const fp_id = await service.user();
  return { bank, fp_id, link: await bank.link(fp_id, options) };
}

export const at = (time: number) => new Date(time).toISOString();
export const pending = async (service: TestService) =>
  (await service.call('GET /_kyclone/info')).body.pending_work;
export const withEvents = () => startService({ settings: { events: { extended: true } } });

/**
 * Returns all entries of a link's bank up to the end of the last of `days` days after it was made, in the bank's order.
 */
export function entriesOf(
  link: { id: string; created_at: string },
  persona: string,
  days: number,
): SimulatedEntry[] {
  const anchor = Math.floor(Date.parse(link.created_at) / DAY);
  const world = createBankSimulation(persona, { seed: link.id, anchor });
  const entries: SimulatedEntry[] = [];
  for (let state = world.begin(); state.through < anchor + days;) {
    const day = world.next(state);
    entries.push(...day.entries);
    state = day.state;
  }
  return entries;
}

export const ofMoney = (entry: SimulatedEntry): entry is BankEntry => entry.ledger === 'bank';

/** Returns the facts that distinguish one transaction from another, in the simulation and in the API. */
export function factsOf(entry: BankEntry): string {
  const cents = String(entry.amount / 100n).padStart(3, '0');
  const amount = `${cents.slice(0, -2)}.${cents.slice(-2)}`;
  const date = new Date(entry.at).toISOString().slice(0, 10);
  return [date, entry.type, amount, entry.currency, entry.raw_description].join(' ');
}

type Transaction = Awaited<ReturnType<Bank['allTransactions']>>[number];

export const factsOfTransaction = ({ date, type, amount, currency, raw_description }: Transaction): string =>
  [date, type, amount, currency, raw_description].join(' ');

/** Returns the facts of the link's transactions, by default of all days. */
export async function factsOfLink(bank: Bank, link: string, from?: number): Promise<string[]> {
  const start_date = from === undefined ? undefined : at(from).slice(0, 10);
  return (await bank.allTransactions(link, { start_date })).map(factsOfTransaction).sort();
}

/** Returns all that the API returns of a link, without the link's own times. */
export async function everythingOf(bank: Bank, linkId: string): Promise<string> {
  const parts = [await bank.accounts(linkId), await bank.allTransactions(linkId)];
  const rest = [];
  for (const path of ['investments/holdings', 'investments/transactions'] as const) {
    const query = path === 'investments/transactions' ? { size: 100 } : {};
    rest.push((await bank.request(`GET /bank_links/{link_id}/${path}`, linkId, { query })).text);
  }
  return JSON.stringify([...parts, ...rest]);
}

/** Returns the names of the bank values in a user's vault. */
export const bankValues = async (service: TestService, fp_id: string, as?: string) =>
  Object.keys(await vaultOf(service, fp_id, as).present()).filter((name) => name.startsWith('bank.'));

/** Computes the bank data of a link that was made at noon, without the store. */
export async function worldOf(link: { id: string }, { persona = 'default', now = NOON } = {}) {
  const worlds = await loadBankSimulations();
  const world = worlds.create(persona, { seed: link.id, anchor: dayOf(NOON) });
  const entries = [...completeDays(world, world.begin(), now)].flatMap((day) => day.entries);
  return { accounts: world.accounts, entries };
}

/**
 * Settles when the service makes the next id of this kind. The thing that gets the id is being created then, and not
 * stored yet.
 */
export function idMade({ random }: TestService, kind: 'bankLink' | 'bankTransaction'): Promise<void> {
  const id = random.id.bind(random);
  return new Promise((resolve) => {
    random.id = (length, purpose) => {
      if (purpose === kind) resolve();
      return id(length, purpose);
    };
  });
}
