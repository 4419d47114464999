/** Bank links of users and businesses, and the calls that return their data. */
import type { RequestOf } from '../../src/contract/registry.ts';
import type { BankAccount, BankTransaction } from '../../src/nouns/bank-links/endpoints/records.ts';
import { SANDBOX_KEY, type LooseParts, type TestService } from './service.ts';

type TransactionsQuery = RequestOf<'GET /bank_links/{link_id}/transactions'>['query'];
type Loose<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

export interface NewLink {
  /** For a new link by default `thin`, which has three transactions. Those of `default` take ten times as long. */
  readonly persona?: string;
  readonly institution?: string;
  readonly external_id?: string;
  /** The link to reconnect. */
  readonly link_id?: string;
  /** The API key to use for the link. */
  readonly as?: string;
}

/** The bank calls with one API key. */
export function bankOf(service: TestService, as: string = SANDBOX_KEY) {
  async function intent(fpId: string, { institution, link_id, ...options }: NewLink = {}) {
    const persona = options.persona ?? (link_id === undefined ? 'thin' : undefined);
    const body = {
      fp_id: fpId,
      ...(persona !== undefined && { persona }),
      ...(institution !== undefined && { institution }),
      ...(link_id !== undefined && { link_id }),
    };
    return (await service.call('POST /_kyclone/bank_link_intents', { body })).body;
  }

  return {
    intent,
    /** Makes a link of this entity, with a new intent. */
    async link(fpId: string, options: NewLink = {}) {
      const { intent_token } = await intent(fpId, options);
      const { external_id } = options;
      const body = { intent_token, ...(external_id !== undefined && { external_id }) };
      return (await service.call('POST /bank_links', { body, as: options.as ?? as })).body;
    },
    get: async (link_id: string) =>
      (await service.call('GET /bank_links/{link_id}', { params: { link_id }, as })).body,
    accounts: async (link_id: string) =>
      (await service.call('GET /bank_links/{link_id}/accounts', { params: { link_id }, as })).body.accounts,
    transactions: async (link_id: string, query: Loose<TransactionsQuery> = {}) =>
      (await service.call('GET /bank_links/{link_id}/transactions', { params: { link_id }, query, as })).body,
    /** Returns all transactions. It reads them page by page. */
    async allTransactions(link_id: string, query: Loose<TransactionsQuery> = {}) {
      const all = [];
      for (let page = 1; ; page++) {
        const { transactions, total } = await this.transactions(link_id, { ...query, page, size: 100 });
        all.push(...transactions);
        if (transactions.length === 0 || all.length >= total) return all;
      }
    },
    refresh: (link_id: string, products: RequestOf<'POST /bank_links/{link_id}/data_refresh'>['body']) =>
      service.call('POST /bank_links/{link_id}/data_refresh', { params: { link_id }, body: products, as }),
    reset: (link_id: string) => service.call('POST /bank_links/{link_id}/reset', { params: { link_id }, as }),
    import: (link_id: string, transactions: Record<string, unknown>[]) =>
      service.call('POST /bank_links/{link_id}/import/transactions', {
        params: { link_id },
        body: { transactions },
        as,
      }),
    /** Sends any request about a link. The request may fail. */
    request: (key: Parameters<TestService['request']>[0], link_id: string, parts: LooseParts = {}) =>
      service.request(key, { as, ...parts, params: { link_id, ...parts.params } }),
  };
}

// Records as the API returns them, for what shows them.

export const LINK_ID = 'link_7p793EF07xKXHqAeg5VGPj';
export const CHECKING_ID = 'acct_7p793EF07xKXHqAeg5VGPj';
export const RECORDED_AT = '2026-01-31T12:00:00.000Z';

export const aBankAccount = (more: Partial<BankAccount> = {}): BankAccount => ({
  id: CHECKING_ID,
  link_id: LINK_ID,
  name: 'Everyday Checking',
  nickname: null,
  mask: '6789',
  closed: false,
  account_type: 'depository.checking',
  balances: {
    available: '950.00',
    balance_date: RECORDED_AT,
    currency: 'USD',
    current: '1234567.89',
    limit: null,
  },
  raw_provider_data: null,
  ...more,
});
export const aBankTransaction = (more: Partial<BankTransaction> = {}): BankTransaction => ({
  transaction_id: 'txn_1',
  account_id: CHECKING_ID,
  amount: '4.50',
  currency: 'USD',
  date: '2026-01-31',
  datetime: null,
  description: 'Cedar Coffee',
  raw_description: null,
  category: null,
  enrichment: null,
  pending: false,
  type: 'debit',
  ...more,
});
