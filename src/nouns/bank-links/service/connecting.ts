/** Creates, disconnects, reconnects and deletes links (contract §7.2, §7.3). */
import type { SimulatedAccount } from '../../../bank-simulation/simulation.ts';
import type { BankProduct } from '../facts.ts';
import { HOSTED_PATHS } from '../../hosted/facts.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { dayOf, startOfDay, type Day } from '../../../kernel/civil-date.ts';
import { decimalText } from '../../../kernel/decimal.ts';
import { newId } from '../../../kernel/ids.ts';
import type { JsonValue } from '../../../kernel/json.ts';
import type { Database } from '../../../storage/database.ts';
import { removeDebris, sweepDebris } from '../../../storage/debris.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { findEntityByRow, type EntityRow } from '../../entities/service/index.ts';
import { requireRedirectUrl } from '../../onboardings/service/index.ts';
import type { LiveSettings } from '../../settings/service.ts';
import type { Events } from '../../webhooks/service/index.ts';
import type { WholeChoice } from './choice.ts';
import { markExpired, useIntent, type IntentRow } from './intents-repository.ts';
import { digestOf, mintIntent, storeIntent, usableIntent } from './intents.ts';
import { insertAccount } from './ledger-repository.ts';
import {
  createBalances,
  storeTransactions,
  worldAccountId,
  type Account,
  type NewTransaction,
} from './ledger.ts';
import { linkEvent } from './link-events.ts';
import { linkView } from './link-view.ts';
import {
  deleteLink,
  findLinkByRow,
  insertLink,
  isLinkId,
  updateExternalId,
  updateLink,
  type PlacedLinkRow,
  type ProductTimes,
  getLink,
} from './links-repository.ts';
import type { BankPages } from './pages.ts';
import { createLinkRecords, type LinkRecords } from './records.ts';
import { sealDays } from './sealed-days.ts';
import { loadBankSimulations, type BankSimulations, withAccounts } from './simulations.ts';
import { areMissed, bringUpToDate, nextDueAt, prepareMissedDays } from './updates.ts';
import { invalid } from '../../../kernel/errors.ts';
import type { Needs } from '../../needs.ts';

/**
 * The account numbers of a link for the vault of its user, under `bank.<account id>.*` (contract §7.2): checking and
 * savings accounts, including closed ones. May be empty.
 */
function linkedNumbers(accounts: PreparedLink['accounts']): Map<string, JsonValue> {
  return new Map(
    accounts.flatMap(({ id, world: { name, account_type, numbers } }) => {
      const type = VAULTED_TYPES.get(account_type);
      if (type === undefined || numbers === null) return [];
      const values = {
        name,
        ach_routing_number: numbers.routing,
        ach_account_number: numbers.account,
        account_type: type,
        ach_account_id: id,
      };
      return Object.entries(values).map(([field, value]): [string, JsonValue] => [
        `bank.${id}.${field}`,
        value,
      ]);
    }),
  );
}

const VAULTED_TYPES: ReadonlyMap<string, string> = new Map([
  ['depository.checking', 'checking'],
  ['depository.savings', 'savings'],
]);

type ConnectBody = RequestOf<'POST /bank_links'>['body'];

export type BankConnections = ReturnType<typeof createConnections>;

export interface ConnectionsContext extends Needs<'queue' | 'clock' | 'random' | 'vault' | 'wake'> {
  readonly events: Events;
  readonly settings: LiveSettings;
  readonly pages: BankPages;
  /** The address of the instance, for the link to the page. */
  readonly baseUrl: () => string;
}

export function createConnections(context: ConnectionsContext) {
  const { queue, clock, random, vault, events, pages, wake } = context;

  /** The current state of the intent in a request body. */
  const intentOf = (database: Database, caller: Caller, body: ConnectBody) =>
    usableIntent(database, caller, tokenOf(body), clock.now());

  /**
   * Returns undefined when the preparation is outdated, because a day has ended or a choice was made in the meantime.
   */
  async function make(
    caller: Caller,
    body: ConnectBody,
    { intent, entity, worlds }: { intent: IntentRow; entity: EntityRow; worlds: BankSimulations },
  ): Promise<PlacedLinkRow | undefined> {
    const agreed = pages.agreed(queue.database, intent);
    const { persona, institution } = agreed ?? intent;
    const id = newId('bankLink', random, (taken) => isLinkId(queue.database, taken));
    const records = createLinkRecords(vault.records(entity), id);
    const prepared = await prepareLink(
      { id, persona, accounts: agreed?.accounts },
      { worlds, records, now: clock.now() },
    );
    return queue.write((database) => {
      const { intent: unused, entity: current } = intentOf(database, caller, body);
      const now = clock.now();
      const hasChanged = JSON.stringify(pages.agreed(database, unused)) !== JSON.stringify(agreed);
      if (hasChanged || dayOf(now) !== prepared.day) return undefined;
      const row = newRow({ id, persona, institution, entity: current, prepared, worlds, now, body });
      const link = { ...row, seq: insertLink(database, row), fp_id: current.fp_id };
      prepared.store(database, link.seq, now);
      updateLink(database, { ...link, due_at: nextDueAt(database, link, now) });
      // A business vault has no identifiers for them.
      const numbers = linkedNumbers(current.kind === 'user' ? prepared.accounts : []);
      if (numbers.size > 0) {
        vault.write(database, current, { changes: numbers, skipLuhn: false, by: caller });
      }
      useIntent(database, unused, now);
      queue.afterCommit(wake);
      return link;
    });
  }

  /** Returns undefined when the link has changed since the preparation. */
  async function reconnect(
    caller: Caller,
    body: ConnectBody,
    { intent, entity, worlds }: { intent: IntentRow; entity: EntityRow; worlds: BankSimulations },
  ): Promise<PlacedLinkRow | undefined> {
    const found = intent.link === null ? undefined : findLinkByRow(queue.database, intent.link);
    if (!found) return undefined;
    const records = createLinkRecords(vault.records(entity), found.id);
    const missed = await prepareMissedDays(queue.database, found, { records, worlds, now: clock.now() });
    return queue.write((database) => {
      const { intent: unused } = intentOf(database, caller, body);
      const before = findLinkByRow(database, found.seq);
      const now = clock.now();
      if (!before || !areMissed(missed, before, now)) return undefined;
      const { external_id = before.external_id } = body;
      const products = everyProduct(before.products, { refreshed_at: now, last_attempted_at: now });
      const connected = { ...before, state: 'connected', error_code: null, external_id, products } as const;
      const link = bringUpToDate(database, connected, { records, worlds, now, today: false, missed });
      updateLink(database, link);
      if (external_id !== before.external_id) updateExternalId(database, link.seq, external_id);
      if (before.state === 'error') emitLinkChange(database, link);
      useIntent(database, unused, now);
      queue.afterCommit(wake);
      return link;
    });
  }

  function emitLinkChange(database: Database, link: PlacedLinkRow): void {
    const entity = findEntityByRow(database, link.entity);
    if (entity) events.emit(database, entity, linkEvent(link, entity, { kind: 'link_state_changed' }));
  }

  return {
    /** Creates an intent. Throws `not_found` for an unknown entity or link, `invalid_request` for an unknown persona. */
    async intend({
      redirect_url,
      ...body
    }: RequestOf<'POST /_kyclone/bank_link_intents'>['body']): Promise<
      AnswerOf<'POST /_kyclone/bank_link_intents'>
    > {
      const worlds = await loadBankSimulations();
      if (redirect_url !== undefined) requireRedirectUrl(redirect_url, context.settings.current.cors.origins);
      return queue.write((database) => {
        const intent = mintIntent(database, body, { random, worlds, now: clock.now() });
        const { intent_token: token } = intent;
        if (redirect_url !== undefined) pages.keep(database, digestOf(token), { redirect_url });
        return { ...intent, link: `${context.baseUrl()}${HOSTED_PATHS.bankLink}#${token}` };
      });
    },

    /** Within a write job: creates an intent for the choice that a person agreed to, and returns its token. */
    mintAgreed(database: Database, entity: EntityRow, choice: WholeChoice): string {
      const { persona, institution } = choice;
      const intent = storeIntent(database, { entity, persona, institution }, { random, now: clock.now() });
      pages.keep(database, digestOf(intent.intent_token), { choice, hasAgreed: true });
      return intent.intent_token;
    },

    /** Uses an intent. Throws `intent_invalid`, and `conflict` when it was used before. */
    async connect(caller: Caller, body: ConnectBody): Promise<AnswerOf<'POST /bank_links'>> {
      const worlds = await loadBankSimulations();
      for (;;) {
        const found = intentOf(queue.database, caller, body);
        const connect = found.intent.link === null ? make : reconnect;
        const link = await connect(caller, body, { ...found, worlds });
        if (link) return linkView(link);
      }
    },

    /** Throws `not_found`. Does nothing to a disconnected link. */
    disconnect: (caller: Caller, id: string): Promise<void> =>
      queue.write((database) => {
        const before = getLink(database, caller.space, id);
        if (before.error_code === 'auth_expired') return;
        const link = { ...before, state: 'error', error_code: 'auth_expired' } as const;
        updateLink(database, { ...link, due_at: nextDueAt(database, link, clock.now()) });
        emitLinkChange(database, link);
      }),

    /** Throws `not_found`. */
    async remove(caller: Caller, id: string): Promise<void> {
      await queue.free((database) => {
        deleteLink(database, getLink(database, caller.space, id).seq);
        removeDebris(database);
      });
      await sweepDebris(queue);
      queue.scrub();
    },

    /** Call it in the write job that moves the clock back: intents that are expired by `now` stay expired. */
    expire: markExpired,
  };
}

/** `validation_token` is an alias of `intent_token` (contract §7.2). Throws `invalid_request`. */
function tokenOf({ intent_token, validation_token }: ConnectBody): string {
  const token = intent_token ?? validation_token;
  if (token === undefined)
    throw invalid('intent_token is missing: it must be the token of a bank-link intent (blit_…)');
  if (validation_token === undefined || validation_token === token) return token;
  throw invalid('intent_token and validation_token mean the same and must not differ');
}

/** A link without its `due_at`. */
function newRow({
  id,
  persona,
  institution,
  entity,
  prepared,
  worlds,
  now,
  body,
}: {
  id: string;
  persona: string;
  institution: string;
  entity: EntityRow;
  prepared: PreparedLink;
  worlds: BankSimulations;
  now: number;
  body: ConnectBody;
}): Omit<PlacedLinkRow, 'seq' | 'fp_id'> {
  const error_code = worlds.personas.find(({ name }) => name === persona)?.error ?? null;
  const refreshed_at = error_code === null ? now : null;
  return {
    id,
    space: entity.space,
    entity: entity.id,
    external_id: body.external_id ?? null,
    persona,
    anchor: prepared.day,
    institution,
    state: error_code === null ? 'connected' : 'error',
    error_code,
    products: Object.fromEntries(
      productsOf(prepared).map((product) => [product, { refreshed_at, last_attempted_at: now }]),
    ),
    last_synced_at: refreshed_at,
    due_at: null,
    sealed_world: prepared.world,
    created_at: now,
  };
}

function productsOf({ accounts }: PreparedLink): BankProduct[] {
  const invests = accounts.some(({ world }) => world.account_type.startsWith('investment.'));
  return ['accounts', 'account_numbers', 'identity', 'transactions', ...(invests ? INVESTMENTS : [])];
}

const INVESTMENTS = ['investments'] as const;

function everyProduct(
  products: ProductTimes,
  times: { refreshed_at: number; last_attempted_at: number },
): ProductTimes {
  return Object.fromEntries(Object.keys(products).map((product) => [product, times]));
}

// Prepares the accounts and transactions of a new link, and stores them in the write job of the link.

interface PreparedLink {
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
async function prepareLink(
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
