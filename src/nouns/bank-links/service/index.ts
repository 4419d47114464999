/** Bank links (contract §7): assembles their creation, reading, import and refresh. */
import type { EndpointKey } from '../../../contract/registry.ts';
import { counted } from '../../../kernel/text/count-text.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids/ids.ts';
import { nextTurn } from '../../../kernel/time/turns.ts';
import type { Database } from '../../../storage/database.ts';
import type { PrivateValues } from '../../../vault/private-values.ts';
import { type EntityRow, findEntityByRow } from '../../entities/service/index.ts';
import { answer, type Handlers, type KeysUnder } from '../../handlers.ts';
import { type BankChoices, choicesOf } from './choice.ts';
import { type ConnectionsContext, createConnections } from './connecting.ts';
import { ID_OF_INVESTMENT, importedMember, type ImportedRow, judgeRows } from './import-rows.ts';
import { findTransaction, insertTransaction, listAccounts, updateTransaction } from './ledger-repository.ts';
import { createBalances, effectOf, openAccounts } from './ledger.ts';
import { countAllLinks, listLinksOfEntity, type PlacedLinkRow, getLink } from './links-repository.ts';
import { createBankPages } from './pages.ts';
import { createReadings } from './reading.ts';
import { createLinkRecords, type LinkRecords } from './records.ts';
import { createRefreshes } from './refreshing.ts';
import { loadBankSimulations } from './simulations.ts';
import type { Needs } from '../../needs.ts';

// Imports transactions of another provider, all or none (contract §7.4). They are checked and sealed in small batches
// before the single write job, which checks the link again.

interface SealedRow extends ImportedRow {
  readonly id: string;
  readonly sealed: Uint8Array;
}

/** A few milliseconds of sealing, after which other work gets a turn. */
const ROWS_PER_TURN = 100;

function createImports({ queue, clock, random, vault }: Needs<'queue' | 'clock' | 'random' | 'vault'>) {
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
    /**
     * Answers once the rows are stored. Throws `not_found`, `link_disconnected`, and `invalid_request` with the first
     * fifty problems by `transactions[<i>].<member>`. A dry run throws the same, stores nothing and uses up no id.
     */
    'POST /bank_links/{link_id}/import/transactions': async ({ caller, params, query, body }) => {
      const { database } = queue;
      const { transactions } = body;
      const link = getLink(database, caller.space, params.link_id);
      const { rows, reasons, wrong } = judgeRows(transactions, {
        accounts: new Set(listAccounts(database, link.seq).map(({ id }) => id)),
        isInvestment: (id) => findTransaction(database, link.seq, id)?.ledger === 'investment',
      });
      if (wrong > 0) throw refusal(reasons, { wrong, total: transactions.length });
      requireConnected(link);
      if (query.dry_run === true) return answer({});
      const entity = findEntityByRow(database, link.entity);
      if (!entity) throw new Error('A link is of an entity that is gone');
      const records = createLinkRecords(vault.records(entity), link.id);
      const sealed = await sealRows(rows, link, records);
      await queue.write((current) => {
        const found = getLink(current, caller.space, params.link_id);
        requireConnected(found);
        storeRows(current, sealed, { seq: found.seq, records, now: clock.now() });
      });
      return answer({});
    },
  } satisfies Partial<Handlers<EndpointKey>>;
}

function refusal(
  reasons: Readonly<Record<string, string>>,
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

export type BankLinks = ReturnType<typeof createBankLinks>;

export function createBankLinks(
  context: Omit<ConnectionsContext, 'pages'> & { readonly privateValues: PrivateValues },
) {
  const { queue } = context;
  const pages = createBankPages(context);
  const { handlers: connecting, ...connections } = createConnections({ ...context, pages });
  const readings = createReadings({ database: queue.database, vault: context.vault });
  const refreshes = createRefreshes(context);
  const handlers: Handlers<BankLinkKeys> = {
    ...connecting,
    ...readings.handlers,
    ...refreshes.handlers,
    ...createImports(context),
    'GET /_kyclone/personas': async () => {
      const { personas } = await loadBankSimulations();
      return answer(personas.map(({ name, description }) => ({ name, description, kind: 'bank' })));
    },
  };
  return {
    handlers,
    pages,
    ...connections,
    ofEntity: readings.ofEntity,
    due: refreshes.due,
    choices: async (suggested: BankChoices['suggested']): Promise<BankChoices> =>
      choicesOf(await loadBankSimulations(), suggested),
    hasConnected: (database: Database, { id }: EntityRow): boolean =>
      listLinksOfEntity(database, id).some(({ state }) => state === 'connected'),
    /**
     * Call it in the write job of a reset, before the entities and their links are deleted; returns the number of links.
     */
    reset: countAllLinks,
  };
}
