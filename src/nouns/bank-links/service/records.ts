/** The sealed parts of links, accounts and transactions: their form, and how they are sealed and opened. */
import type { BankAccount, BankTransaction, InvestmentTransaction } from '../endpoints/records.ts';
import { decimal, type Decimal } from '../../../kernel/numbers/decimal.ts';
import type { EntityRecords } from '../../../vault/entity-records.ts';
import type { AccountRow, TransactionRow } from './ledger-repository.ts';
import type { Portfolio, BankSimulationState } from '../../../bank-simulation/simulation.ts';

/** The details of an account. Amounts are texts in the form of the API. */
export interface AccountDetails extends Pick<
  BankAccount,
  'name' | 'nickname' | 'mask' | 'closed' | 'account_type'
> {
  readonly currency: string;
  readonly limit: string | null;
  /** The opening balance plus everything posted since: the balance, the debt, or the cash of an investment account. */
  readonly current: string;
  /** The time of `current`, epoch milliseconds. */
  readonly balance_at: number;
}

export type BankDetails = Omit<BankTransaction, 'transaction_id' | 'account_id' | 'pending'>;

export interface InvestmentDetails extends Omit<
  InvestmentTransaction,
  'investment_transaction_id' | 'account_id' | 'security_id'
> {
  /** The key of the security in the simulation. */
  readonly security: string | null;
}

/** The state of a link's simulation, with its holdings. */
export interface SimulatedRecord {
  readonly state: BankSimulationState;
  /** Epoch milliseconds, on the day after `state`: everything up to then is stored. */
  readonly stored_until: number;
  readonly portfolio: Portfolio;
}

/** As stores have it. */
type InStore = Omit<SimulatedRecord, 'stored_until'> & { readonly told_until: number };

/** The change of the cash by an investment transaction. */
export function investmentEffect({
  type,
  amount,
  fees,
}: Pick<InvestmentDetails, 'type' | 'amount' | 'fees'>): Decimal {
  const moved = type === 'buy' || type === 'fee' ? -decimal(amount) : decimal(amount);
  return moved - (fees === null ? 0n : decimal(fees));
}

export type LinkRecords = ReturnType<typeof createLinkRecords>;

/** `linkId` is the id of the link, not its row. */
export function createLinkRecords(records: EntityRecords, linkId: string) {
  const transactionAt = (id: string) => ['bank transaction', linkId, id] as const;
  const openTransaction = ({ id, sealed }: Pick<TransactionRow, 'id' | 'sealed'>): unknown =>
    JSON.parse(records.open(transactionAt(id), sealed));
  return {
    account: (id: string, details: AccountDetails): Uint8Array =>
      records.seal(['bank account', linkId, id], JSON.stringify(details)),
    openAccount: ({ id, sealed }: Pick<AccountRow, 'id' | 'sealed'>): AccountDetails =>
      JSON.parse(records.open(['bank account', linkId, id], sealed)) as AccountDetails,
    transaction: (id: string, details: BankDetails | InvestmentDetails): Uint8Array =>
      records.seal(transactionAt(id), JSON.stringify(details)),
    openBank: (row: Pick<TransactionRow, 'id' | 'sealed'>): BankDetails =>
      openTransaction(row) as BankDetails,
    openInvestment: (row: Pick<TransactionRow, 'id' | 'sealed'>): InvestmentDetails =>
      openTransaction(row) as InvestmentDetails,
    world: ({ stored_until: told_until, ...record }: SimulatedRecord): Uint8Array =>
      records.seal(
        ['bank link', linkId],
        JSON.stringify({ ...record, told_until } satisfies InStore, asText),
      ),
    openWorld: (sealed: Uint8Array): SimulatedRecord => {
      const opened = JSON.parse(records.open(['bank link', linkId], sealed), fromText) as InStore;
      const { told_until: stored_until, ...record } = opened;
      return { ...record, stored_until };
    },
  };
}

/** JSON has no integers beyond 2^53, so decimals of a portfolio are stored as text with a unique prefix. */
const MARK = '\0decimal:';

function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${MARK}${value}` : value;
}

function fromText(_name: string, value: unknown): unknown {
  return typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value;
}
