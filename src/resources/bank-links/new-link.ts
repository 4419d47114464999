/** Prepares the accounts and transactions of a new link, and stores them in the write job of the link. */
import { dayOf, startOfDay, type Day } from '../../kernel/civil-date.ts';
import { decimalText } from '../../kernel/decimal.ts';
import type { Database } from '../../storage/database.ts';
import {
  createBalances,
  storeTransactions,
  worldAccountId,
  type Account,
  type NewTransaction,
} from './ledger.ts';
import { insertAccount } from './ledger-repository.ts';
import type { LinkRecords } from './records.ts';
import { sealDays } from './sealed-days.ts';
import { withAccounts, type BankSimulations } from './simulations.ts';
import type { SimulatedAccount } from '../../bank-simulation/simulation.ts';

export interface PreparedLink {
  /** The preparation is only valid on this day. */
  readonly day: Day;
  /** In list order. */
  readonly accounts: readonly { readonly id: string; readonly world: SimulatedAccount }[];
  /** Sealed state of the simulation. */
  readonly world: Uint8Array;
  /** Call it within the write job that has inserted the link with this row id. */
  store(database: Database, link: number, now: number): void;
}

/** `id` of the future link. `accounts`: keys of the chosen ones; all by default. */
export async function prepareLink(
  {
    id,
    persona,
    accounts: chosen,
  }: {
    readonly id: string;
    readonly persona: string;
    readonly accounts?: readonly string[] | undefined;
  },
  {
    worlds,
    records,
    now,
  }: { readonly worlds: BankSimulations; readonly records: LinkRecords; readonly now: number },
): Promise<PreparedLink> {
  const whole = worlds.create(persona, { seed: id, anchor: dayOf(now) });
  const world = chosen ? withAccounts(whole, new Set(chosen)) : whole;
  // Before they are stored, accounts are identified by their place in the list.
  const accounts = world.accounts.map((account, seq) => openingAccount(account, { seq, linkId: id, now }));
  const place = { id, records, accounts: new Map(accounts.map((each) => [each.key, each])), now };
  const { state, transactions } = await sealDays(world, { state: world.begin(), until: now }, place);

  return {
    day: dayOf(now),
    accounts: world.accounts.map((each) => ({ id: worldAccountId(id, each.key), world: each })),
    world: records.world({
      state,
      stored_until: startOfDay(dayOf(now)),
      portfolio: world.portfolio(state),
    }),
    store(database, link, at) {
      const stored = accounts.map((account) => {
        const { id: accountId, key: world_key, details } = account;
        const sealed = records.account(accountId, details);
        return { ...account, seq: insertAccount(database, { id: accountId, link, world_key, sealed }) };
      });
      const balances = createBalances(stored, records);
      storeTransactions(database, { seq: link }, placed(transactions, stored), balances);
      balances.store(database, at);
    },
  };
}

function openingAccount(
  account: SimulatedAccount,
  { seq, linkId, now }: { seq: number; linkId: string; now: number },
): Account {
  const { key, name, nickname, mask, closed, account_type, currency, limit } = account;
  return {
    seq,
    id: worldAccountId(linkId, key),
    key,
    details: {
      name,
      nickname,
      mask,
      closed,
      account_type,
      currency,
      limit: limit === null ? null : decimalText(limit),
      current: decimalText(account.opening),
      balance_at: now,
    },
  };
}

/** Replaces the places of accounts by their row ids. */
function* placed(
  transactions: readonly NewTransaction[],
  accounts: readonly Account[],
): Generator<NewTransaction, undefined> {
  for (const transaction of transactions) {
    const account = accounts[transaction.account];
    if (!account) throw new Error('A transaction is of an account that its link does not have');
    yield { ...transaction, account: account.seq };
  }
}
