/** Creates, disconnects, reconnects and deletes links (contract §7.2, §7.3). */
import type { BankSimulation, SimulatedAccount } from '../../../bank-simulation/simulation.ts';
import { BANK_PRODUCTS, type BankProduct } from '../facts.ts';
import { HOSTED_PATHS } from '../../hosted/facts.ts';
import type { EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { dayOf, startOfDay } from '../../../kernel/time/civil-date.ts';
import { decimalText } from '../../../kernel/numbers/decimal.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import type { Database } from '../../../storage/database.ts';
import { removeDebris, sweepDebris } from '../../../storage/debris.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { findEntityByRow, type EntityRow } from '../../entities/service/index.ts';
import { requireRedirectUrl } from '../../onboardings/service/index.ts';
import type { LiveSettings } from '../../settings/service.ts';
import { answer, linkByHost, type Handlers, doneWriting } from '../../handlers.ts';
import type { Events } from '../../webhooks/service/index.ts';
import type { WholeChoice } from './choice.ts';
import { markExpired, useIntent } from './intents-repository.ts';
import { digestOf, type FoundIntent, mintIntent, storeIntent, usableIntent } from './intents.ts';
import { insertAccount } from './ledger-repository.ts';
import {
  createBalances,
  storeTransactions,
  worldAccountId,
  type Account,
  type NewTransaction,
} from './ledger.ts';
import { linkEvent, linkView } from './link-view.ts';
import {
  deleteLink,
  findLinkByRow,
  insertLink,
  isLinkId,
  setLink,
  updateLink,
  type LinkRow,
  type PlacedLinkRow,
  getLink,
} from './links-repository.ts';
import type { BankPages } from './pages.ts';
import { createLinkRecords, type LinkRecords } from './records.ts';
import { loadBankSimulations, type BankSimulations, withAccounts } from './simulations.ts';
import { areMissed, bringUpToDate, nextDueAt, prepareMissedDays, sealDays } from './updates.ts';
import { invalid } from '../../../kernel/errors.ts';
import type { Needs } from '../../needs.ts';

/**
 * The account numbers of a link for the vault of its user, under `bank.<account id>.*` (contract §7.2): checking and
 * savings accounts, including closed ones. May be empty.
 */
function linkedNumbers(linkId: string, accounts: readonly SimulatedAccount[]): Map<string, JsonValue> {
  const values = accounts.flatMap(({ key, name, account_type, numbers }) => {
    const type = VAULTED_TYPES.get(account_type);
    if (type === undefined || numbers === null) return [];
    const id = worldAccountId(linkId, key);
    return Object.entries({
      name,
      ach_routing_number: numbers.routing,
      ach_account_number: numbers.account,
      account_type: type,
      ach_account_id: id,
    }).map(([field, value]) => [`bank.${id}.${field}`, value] as const);
  });
  return new Map<string, JsonValue>(values);
}

const VAULTED_TYPES: ReadonlyMap<string, string> = new Map([
  ['depository.checking', 'checking'],
  ['depository.savings', 'savings'],
]);

type ConnectBody = RequestOf<'POST /bank_links'>['body'];

interface Found extends FoundIntent {
  readonly worlds: BankSimulations;
}

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
    { intent, entity, worlds }: Found,
  ): Promise<PlacedLinkRow | undefined> {
    const agreed = pages.agreed(queue.database, intent);
    const { persona, institution } = agreed ?? intent;
    const id = newId('bankLink', random, (taken) => isLinkId(queue.database, taken));
    const records = createLinkRecords(vault.records(entity), id);
    const prepareAt = clock.now();
    const anchor = dayOf(prepareAt);
    const whole = worlds.create(persona, { seed: id, anchor });
    const world = agreed ? withAccounts(whole, new Set(agreed.accounts)) : whole;
    const prepared = await prepareLink(world, { id, records, now: prepareAt });
    return queue.write((database) => {
      const { intent: unused, entity: current } = intentOf(database, caller, body);
      const now = clock.now();
      const hasChanged = JSON.stringify(pages.agreed(database, unused)) !== JSON.stringify(agreed);
      if (hasChanged || dayOf(now) !== anchor) return undefined;
      const error_code = worlds.personas.find(({ name }) => name === persona)?.error ?? null;
      const refreshed_at = error_code === null ? now : null;
      const times = { refreshed_at, last_attempted_at: now };
      const row: Omit<LinkRow, 'seq'> = {
        id,
        space: current.space,
        entity: current.id,
        external_id: body.external_id ?? null,
        persona,
        anchor,
        institution,
        state: error_code === null ? 'connected' : 'error',
        error_code,
        products: Object.fromEntries(productsOf(world.accounts).map((product) => [product, times])),
        last_synced_at: refreshed_at,
        due_at: null,
        sealed_world: prepared.sealedWorld,
        created_at: now,
      };
      const link = { ...row, seq: insertLink(database, row), fp_id: current.fp_id };
      prepared.store(database, link.seq, now);
      updateLink(database, { ...link, due_at: nextDueAt(database, link, now) });
      // A business vault has no identifiers for them.
      const numbers = linkedNumbers(id, current.kind === 'user' ? world.accounts : []);
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
    { intent, entity, worlds }: Found,
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
      const times = { refreshed_at: now, last_attempted_at: now };
      const products = Object.fromEntries(Object.keys(before.products).map((product) => [product, times]));
      const connected = { ...before, state: 'connected', error_code: null, external_id, products } as const;
      const link = bringUpToDate(database, connected, { records, worlds, now, today: false, missed });
      updateLink(database, link);
      if (external_id !== before.external_id) setLink(database, { seq: link.seq }, { external_id });
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

  const handlers = {
    /** Creates an intent. Throws `not_found` for an unknown entity or link, `invalid_request` for an unknown persona. */
    'POST /_kyclone/bank_link_intents': async ({ rawHeaders, body: { redirect_url, ...body } }) => {
      const worlds = await loadBankSimulations();
      if (redirect_url !== undefined) requireRedirectUrl(redirect_url, context.settings.current.cors.origins);
      const linked = await queue.write((database) => {
        const intent = mintIntent(database, body, { random, worlds, now: clock.now() });
        const { intent_token: token } = intent;
        if (redirect_url !== undefined) pages.keep(database, digestOf(token), { redirect_url });
        return { ...intent, link: `${context.baseUrl()}${HOSTED_PATHS.bankLink}#${token}` };
      });
      return answer(linkByHost({ rawHeaders }, linked));
    },

    /** Uses an intent. Throws `intent_invalid`, and `conflict` when it was used before. */
    'POST /bank_links': async ({ caller, body }) => {
      const worlds = await loadBankSimulations();
      for (;;) {
        const found = intentOf(queue.database, caller, body);
        const connect = found.intent.link === null ? make : reconnect;
        const link = await connect(caller, body, { ...found, worlds });
        if (link) return answer(linkView(link));
      }
    },

    /** Disconnects a link. Throws `not_found`. Does nothing to a disconnected one. */
    'POST /bank_links/{link_id}/reset': ({ caller, params }) =>
      doneWriting(queue, (database) => {
        const before = getLink(database, caller.space, params.link_id);
        if (before.error_code === 'auth_expired') return;
        const link = { ...before, state: 'error', error_code: 'auth_expired' } as const;
        updateLink(database, { ...link, due_at: nextDueAt(database, link, clock.now()) });
        emitLinkChange(database, link);
      }),

    /** Throws `not_found`. */
    'DELETE /bank_links/{link_id}': async ({ caller, params }) => {
      await queue.free((database) => {
        deleteLink(database, getLink(database, caller.space, params.link_id).seq);
        removeDebris(database);
      });
      await sweepDebris(queue);
      queue.scrub();
      return answer({});
    },
  } satisfies Partial<Handlers<EndpointKey>>;

  return {
    handlers,

    /** Within a write job: creates an intent for the choice that a person agreed to, and returns its token. */
    mintAgreed(database: Database, entity: EntityRow, choice: WholeChoice): string {
      const { persona, institution } = choice;
      const intent = storeIntent(database, { entity, persona, institution }, { random, now: clock.now() });
      pages.keep(database, digestOf(intent.intent_token), { choice, hasAgreed: true });
      return intent.intent_token;
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

function productsOf(accounts: readonly SimulatedAccount[]): BankProduct[] {
  const invests = accounts.some(({ account_type: type }) => type.startsWith('investment.'));
  return BANK_PRODUCTS.filter((product) => product !== 'investments' || invests);
}

/**
 * Prepares the accounts and transactions of a new link with the id `id`. `store` is for the write job that has inserted
 * the link with this row id; `sealedWorld` is the sealed state of the simulation.
 */
async function prepareLink(
  world: BankSimulation,
  { id, records, now }: { readonly id: string; readonly records: LinkRecords; readonly now: number },
) {
  // Before they are stored, accounts are identified by their place in the list.
  const accounts = world.accounts.map((account, seq) => openingAccount(account, { seq, linkId: id, now }));
  const place = { id, records, accounts: new Map(accounts.map((each) => [each.key, each])), now };
  const { state, transactions } = await sealDays(world, { state: world.begin(), until: now }, place);
  const stored_until = startOfDay(dayOf(now));

  return {
    sealedWorld: records.world({ state, stored_until, portfolio: world.portfolio(state) }),
    store(database: Database, link: number, at: number): void {
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
  const { key, name, nickname, mask, closed, account_type, currency } = account;
  const limit = account.limit === null ? null : decimalText(account.limit);
  const current = decimalText(account.opening);
  const details = { name, nickname, mask, closed, account_type, currency, limit, current, balance_at: now };
  return { seq, id: worldAccountId(linkId, key), key, details };
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
