/** Bank links (contract §7): assembles their creation, reading, import and refresh. */
import type { AnswerOf, EndpointKey, RequestOf } from '../../../contract/registry.ts';
import { counted } from '../../../kernel/count-text.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { nextTurn } from '../../../kernel/turns.ts';
import type { Database } from '../../../storage/database.ts';
import type { PrivateValues } from '../../../vault/private-values.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { type EntityRow, findEntityByRow } from '../../entities/service/index.ts';
import { answer, answered, linkByHost, type Handlers, type KeysUnder, done } from '../../handlers.ts';
import { type BankChoices, choicesOf } from './choice.ts';
import { type BankConnections, type ConnectionsContext, createConnections } from './connecting.ts';
import {
  ID_OF_INVESTMENT,
  importedMember,
  type ImportedRow,
  type Judgement,
  judgeRows,
} from './import-rows.ts';
import { findTransaction, insertTransaction, listAccounts, updateTransaction } from './ledger-repository.ts';
import { createBalances, effectOf, openAccounts } from './ledger.ts';
import { countAllLinks, listLinksOfEntity, type PlacedLinkRow, getLink } from './links-repository.ts';
import { type BankPages, createBankPages } from './pages.ts';
import { createReadings, type Readings } from './reading.ts';
import { createLinkRecords, type LinkRecords } from './records.ts';
import { createRefreshes, type Refreshes } from './refreshing.ts';
import { loadBankSimulations } from './simulations.ts';
import type { Needs } from '../../needs.ts';

// Imports transactions of another provider, all or none (contract §7.4). They are checked and sealed in small batches
// before the single write job, which checks the link again.

interface Imports {
  /**
   * Settles once the rows are stored. Throws `not_found`, `link_disconnected`, and `invalid_request` with the first
   * fifty problems by `transactions[<i>].<member>`. A dry run throws the same, stores nothing and uses up no id.
   */
  import(caller: Caller, id: string, order: ImportOrder): Promise<void>;
}

type ImportBody = RequestOf<'POST /bank_links/{link_id}/import/transactions'>['body'];
interface ImportOrder extends ImportBody {
  readonly isDryRun: boolean;
}

interface SealedRow extends ImportedRow {
  readonly id: string;
  readonly sealed: Uint8Array;
}

/** A few milliseconds of sealing, after which other work gets a turn. */
const ROWS_PER_TURN = 100;

function createImports({
  queue,
  clock,
  random,
  vault,
}: Needs<'queue' | 'clock' | 'random' | 'vault'>): Imports {
  function recordsOf(database: Database, link: PlacedLinkRow): LinkRecords {
    const entity = findEntityByRow(database, link.entity);
    if (!entity) throw new Error('A link is of an entity that is gone');
    return createLinkRecords(vault.records(entity), link.id);
  }

  /** Generated ids differ from each other, from all given ids and from those on the link. */
  async function sealRows(
    rows: readonly ImportedRow[],
    link: PlacedLinkRow,
    records: LinkRecords,
  ): Promise<SealedRow[]> {
    const given = new Set(rows.map(({ transaction_id }) => transaction_id));
    const isTaken = (id: string) =>
      given.has(id) || findTransaction(queue.database, link.seq, id) !== undefined;
    const sealed: SealedRow[] = [];
    for (const row of rows) {
      if (sealed.length > 0 && sealed.length % ROWS_PER_TURN === 0) await nextTurn();
      const id = row.transaction_id ?? newId('bankTransaction', random, isTaken);
      sealed.push({ ...row, id, sealed: records.transaction(id, row.details) });
    }
    return sealed;
  }

  return {
    async import(caller, id, { transactions, isDryRun }) {
      const { database } = queue;
      const link = getLink(database, caller.space, id);
      const rows = requireRight(judge(database, link, transactions), transactions.length);
      requireConnected(link);
      if (isDryRun) return;
      const records = recordsOf(database, link);
      const sealed = await sealRows(rows, link, records);
      await queue.write((current) => {
        const found = getLink(current, caller.space, id);
        requireConnected(found);
        storeRows(current, sealed, { seq: found.seq, records, now: clock.now() });
      });
    },
  };
}

function judge(
  database: Database,
  { seq }: PlacedLinkRow,
  transactions: readonly Readonly<Record<string, unknown>>[],
): Judgement {
  return judgeRows(transactions, {
    accounts: new Set(listAccounts(database, seq).map(({ id }) => id)),
    isInvestment: (id) => findTransaction(database, seq, id)?.ledger === 'investment',
  });
}

function requireRight({ rows, reasons, wrong }: Judgement, total: number): readonly ImportedRow[] {
  if (wrong > 0) throw refusal(reasons, { wrong, total });
  return rows;
}

function refusal(
  reasons: Judgement['reasons'],
  { wrong, total }: { wrong: number; total: number },
): ServiceError {
  return invalid(
    `Nothing was imported: of ${counted(total, 'transaction')} ${wrong} ${wrong === 1 ? 'is' : 'are'} wrong`,
    { context: { ...reasons } },
  );
}

function requireConnected({ state }: Pick<PlacedLinkRow, 'state'>): void {
  if (state !== 'error') return;
  throw new ServiceError('link_disconnected', 'This bank link is disconnected: it has to be connected again');
}

/** A row with an existing id replaces that transaction and reverts its effect on the balance. */
function storeRows(
  database: Database,
  rows: readonly SealedRow[],
  { seq, records, now }: { readonly seq: number; readonly records: LinkRecords; readonly now: number },
): void {
  const accounts = openAccounts(database, { seq }, records);
  const accountById = new Map(accounts.map((account) => [account.id, account]));
  const balances = createBalances(accounts, records);
  rows.forEach(({ id, account_id, day, pending, sealed, details }, index) => {
    const account = accountById.get(account_id);
    if (!account) throw new Error('A row is of an account that its link no longer has');
    const row = {
      account: account.seq,
      ledger: 'bank' as const,
      id,
      day,
      pending: Number(pending),
      posts_at: null,
      sealed,
    };
    if (!insertTransaction(database, seq, row)) {
      const before = findTransaction(database, seq, id);
      if (before?.ledger !== 'bank') {
        // It was stored while the rows were being sealed.
        throw refusal(
          { [importedMember(index, 'transaction_id')]: ID_OF_INVESTMENT },
          { wrong: 1, total: rows.length },
        );
      }
      if (before.pending === 0) {
        balances.add(before.account, -effectOf(balances.accountOf(before), records.openBank(before)));
      }
      updateTransaction(database, seq, row);
    }
    if (!pending) balances.add(account.seq, effectOf(account, details));
  });
  balances.storeMoved(database, now);
}

export { getLink } from './links-repository.ts';
export type { BankPages } from './pages.ts';
export { isWhole, requireChoice, type BankChoice, type BankChoices } from './choice.ts';
export { loadBankSimulations } from './simulations.ts';

type BankLinkKeys =
  | KeysUnder<'/bank_links'>
  | Extract<
      EndpointKey,
      'GET /_kyclone/bank_links' | 'POST /_kyclone/bank_link_intents' | 'GET /_kyclone/personas'
    >;

export function bankLinkHandlers(links: BankLinks): Handlers<BankLinkKeys> {
  return {
    'GET /bank_links': ({ caller, query }) => answer(links.list(caller, query)),
    'POST /bank_links': ({ caller, body }) => answered(links.connect(caller, body)),
    'GET /bank_links/{link_id}': ({ caller, params }) => answer(links.get(caller, params.link_id)),
    'DELETE /bank_links/{link_id}': ({ caller, params }) => done(links.remove(caller, params.link_id)),
    'GET /bank_links/{link_id}/accounts': ({ caller, params }) =>
      answer(links.accounts(caller, params.link_id)),
    'GET /bank_links/{link_id}/transactions': ({ caller, params, query }) =>
      answer(links.transactions(caller, params.link_id, query)),
    'GET /bank_links/{link_id}/investments/holdings': ({ caller, params, query }) =>
      answer(links.holdings(caller, params.link_id, query)),
    'GET /bank_links/{link_id}/investments/transactions': ({ caller, params, query }) =>
      answer(links.investmentTransactions(caller, params.link_id, query)),
    'POST /bank_links/{link_id}/data_refresh': ({ caller, params, body }) =>
      done(links.refresh(caller, params.link_id, body)),
    'POST /bank_links/{link_id}/import/transactions': ({ caller, params, query, body }) =>
      done(links.import(caller, params.link_id, { ...body, isDryRun: query.dry_run === true })),
    'POST /bank_links/{link_id}/reset': ({ caller, params }) =>
      done(links.disconnect(caller, params.link_id)),
    'GET /_kyclone/bank_links': ({ query }) => answer(links.inspect(query)),
    'POST /_kyclone/bank_link_intents': async (request) =>
      answer(linkByHost(request, await links.intend(request.body))),
    'GET /_kyclone/personas': () => answered(links.personas()),
  };
}

export interface BankLinks extends BankConnections, Readings, Refreshes, Imports {
  personas(): Promise<AnswerOf<'GET /_kyclone/personas'>>;
  /** The pages on which people choose. */
  readonly pages: BankPages;
  choices(suggested: BankChoices['suggested']): Promise<BankChoices>;
  hasConnected(database: Database, entity: EntityRow): boolean;
  /**
   * Call it in the write job of a reset, before the entities and their links are deleted; returns the number of links.
   */
  reset(database: Database): number;
}

export function createBankLinks(
  context: Omit<ConnectionsContext, 'pages'> & { readonly privateValues: PrivateValues },
): BankLinks {
  const { queue, clock, privateValues } = context;
  const pages = createBankPages({ queue, clock, privateValues });
  return {
    pages,
    ...createConnections({ ...context, pages }),
    ...createReadings({ database: queue.database, vault: context.vault }),
    ...createRefreshes(context),
    ...createImports(context),
    async personas() {
      const { personas } = await loadBankSimulations();
      return personas.map(({ name, description }) => ({ name, description, kind: 'bank' }));
    },
    choices: async (suggested) => choicesOf(await loadBankSimulations(), suggested),
    hasConnected: (database, { id }) =>
      listLinksOfEntity(database, id).some(({ state }) => state === 'connected'),
    reset: countAllLinks,
  };
}
