/** The endpoints of bank links (contract §2.22, §7). */
import { Type } from '@sinclair/typebox';
import { NUMBERED_PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { IMPORT_LIMIT_BYTES, BANK_PRODUCTS, INSTITUTION_LENGTH } from '../facts.ts';
import {
  BankAccount,
  BankLink,
  BankLinkItem,
  BankProductName,
  BankTransaction,
  Holding,
  InspectedLink,
  InvestmentTransaction,
  LinkStateName,
  OptionalText,
  Security,
} from './records.ts';
import { type Stability, control, endpoint, secretKey } from '../../../contract/endpoint.ts';
import { EXPECTS } from '../../../contract/expectation.ts';
import {
  named,
  CursorPage,
  CursorQuery,
  Empty,
  Nullable,
  RedirectUrl,
  SpaceQuery,
  Timestamp,
  strict,
} from '../../../contract/shapes.ts';

const bank = {
  auth: secretKey({ scope: 'preview:bank_linking' }),
  stability: 'preview' satisfies Stability,
} as const;

export const DEFAULT_PERSONA = 'default';
export const INTENT_TTL_MINUTES = 30;
const IntentToken = Type.String({
  minLength: 1,
  maxLength: 128,
  [EXPECTS]: 'the token of a bank-link intent (blit_…)',
});
export const InstitutionName = Type.String({
  minLength: 1,
  maxLength: INSTITUTION_LENGTH,
  // No control characters, and not only blanks; leading blanks are matched only once, to avoid backtracking.
  pattern: '^[^\\S\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$',
  description: 'a text of 1 to 128 characters',
  [EXPECTS]: 'a string of 1 to 128 characters, not only blanks and without control characters',
});
/** The duration of a refresh on the instance's clock. */
export const REFRESH_SECONDS = 2;

const AccountIds = Type.Optional(
  Type.String({ description: 'ids of accounts, comma-separated; unknown ones match nothing' }),
);

/** The numbered envelope (contract §0.9): pages count from 1. */
const numbered = {
  account_ids: AccountIds,
  start_date: Type.Optional(Type.String({ description: 'YYYY-MM-DD, the earliest' })),
  end_date: Type.Optional(Type.String({ description: 'YYYY-MM-DD, the latest' })),
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1, description: 'an integer of at least 1' })),
  size: Type.Optional(
    Type.Integer({
      minimum: NUMBERED_PAGE_SIZE.least,
      maximum: NUMBERED_PAGE_SIZE.most,
      default: NUMBERED_PAGE_SIZE.default,
      description: `an integer from ${NUMBERED_PAGE_SIZE.least} to ${NUMBERED_PAGE_SIZE.most}`,
    }),
  ),
};
const page = {
  page: Type.Integer(),
  size: Type.Integer(),
  total: Type.Integer({ description: 'matches over all pages' }),
};

const Products = Type.Array(BankProductName, {
  minItems: 1,
  description: `a list of products: ${BANK_PRODUCTS.join(', ')}`,
  examples: [['transactions']],
});

/**
 * The import checks the rows one by one and reports the problems of each (contract §7.4), so the schema only requires
 * objects.
 */
const ImportRow = named(
  'ImportedTransaction',
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    description: [
      'a transaction: account_id, amount (a decimal text; negative: a debit), date (YYYY-MM-DD or a date-time) and',
      'description; optional: transaction_id, type, raw_description, category, currency, pending, datetime',
    ].join(' '),
  }),
);

export const bankLinkEndpoints = [
  endpoint('GET /bank_links', {
    operationId: 'listBankLinks',
    ...bank,
    query: Type.Object({
      link_ids: Type.Optional(Type.String({ description: 'ids of links, comma-separated' })),
      ...CursorQuery,
    }),
    response: CursorPage(BankLinkItem),
    summary: 'Bank links, newest first',
  }),
  endpoint('POST /bank_links', {
    operationId: 'createBankLink',
    ...bank,
    body: named(
      'CreateBankLinkRequest',
      Type.Object({
        intent_token: Type.Optional(IntentToken),
        validation_token: Type.Optional(IntentToken),
        external_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 256 }))),
      }),
    ),
    response: BankLink,
    errors: ['intent_invalid', 'conflict'],
    assumed: [
      { what: 'the body and the members of the Link', why: 'A61' },
      {
        what: 'either intent_token or validation_token, its alias; both are taken when they are the same',
        why: 'A77, §7.2',
      },
      { what: 'account numbers of checking and savings accounts enter the vault of a user', why: 'A64' },
      {
        what: 'the vault of a business takes no bank data: nothing is stored there',
        why: 'ours: bank is not among the families of a business vault in §1',
      },
      {
        what: 'a new link causes no event; one that is connected again does',
        why: 'ours: the caller that creates a link gets it in the response',
      },
    ],
    summary: 'Connect a bank: create a link from an intent, or reconnect one',
  }),
  endpoint('GET /bank_links/{link_id}', {
    operationId: 'getBankLink',
    ...bank,
    response: BankLink,
    assumed: [{ what: 'the members of the Link', why: 'A61' }],
    summary: 'Read a bank link',
  }),
  endpoint('DELETE /bank_links/{link_id}', {
    operationId: 'deleteBankLink',
    ...bank,
    response: Empty,
    assumed: [{ what: 'data in the vault is kept', why: 'A64' }],
    summary: 'Delete a bank link with its accounts and transactions',
  }),
  endpoint('GET /bank_links/{link_id}/accounts', {
    operationId: 'listBankLinkAccounts',
    ...bank,
    response: named('BankAccounts', Type.Object({ accounts: Type.Array(BankAccount) })),
    assumed: [
      { what: 'the types of accounts; amounts with two places', why: 'A62, A63' },
      {
        what: 'of an investment account, available is the cash and current the cash with the value of the holdings',
        why: 'ours: §7.3 speaks of posted transactions, and prices move without any',
      },
    ],
    summary: 'The accounts of a link',
  }),
  endpoint('GET /bank_links/{link_id}/transactions', {
    operationId: 'listBankLinkTransactions',
    ...bank,
    query: Type.Object(numbered),
    response: named('TransactionPage', Type.Object({ ...page, transactions: Type.Array(BankTransaction) })),
    summary: 'The transactions of a link, newest first',
  }),
  endpoint('GET /bank_links/{link_id}/investments/holdings', {
    operationId: 'listBankLinkHoldings',
    ...bank,
    query: Type.Object({ account_ids: AccountIds }),
    response: named(
      'Holdings',
      Type.Object({ holdings: Type.Array(Holding), securities: Type.Array(Security) }),
    ),
    summary: 'The holdings in the investment accounts of a link',
  }),
  endpoint('GET /bank_links/{link_id}/investments/transactions', {
    operationId: 'listBankLinkInvestmentTransactions',
    ...bank,
    query: Type.Object(numbered),
    response: named(
      'InvestmentTransactionPage',
      Type.Object({
        ...page,
        investment_transactions: Type.Array(InvestmentTransaction),
        securities: Type.Array(Security),
      }),
    ),
    assumed: [
      { what: 'the members of an investment transaction', why: 'A65' },
      {
        what: 'amounts are not negative: buy and fee take cash, the others bring it, and fees come on top',
        why: 'ours: §7.1 says it of transactions',
      },
    ],
    summary: 'The investment transactions of a link, newest first',
  }),
  endpoint('POST /bank_links/{link_id}/data_refresh', {
    operationId: 'refreshBankLink',
    ...bank,
    body: named(
      'RefreshBankLinkRequest',
      Type.Union([Type.Object({ products: Products }), Products], {
        description: `an object with a list of products, or the list: ${BANK_PRODUCTS.join(', ')}`,
      }),
    ),
    response: Empty,
    errors: ['link_disconnected', 'rate_limited'],
    assumed: [
      { what: 'the body; a refresh takes two seconds of the clock', why: 'A64' },
      {
        what: "a refresh of a product that a link doesn't have finds nothing new; a refresh fails if its link is disconnected meanwhile",
        why: 'ours: only unknown products are refused',
      },
      {
        what: 'links also refresh themselves at each midnight (UTC); a refresh also brings data of the current day',
        why: 'ours: pending transactions post by the clock, so that past days need no refresh',
      },
      {
        what: 'with the setting bank.refresh_limits, accounts and transactions may be requested once an hour, account_numbers and identity once a day, by the clock; one product over its limit refuses the call, and retry-after has the longest wait in seconds',
        why: 'ours: the specification names no limit; nightly refreshes and a new link use none of it up',
      },
      {
        what: 'a bank has no new data more than ten years after its link was created',
        why: 'ours: this bounds the work when the clock is moved by centuries',
      },
    ],
    summary: 'Fetch new data from the bank',
  }),
  endpoint('POST /bank_links/{link_id}/import/transactions', {
    operationId: 'importBankLinkTransactions',
    ...bank,
    query: Type.Object({
      dry_run: Type.Optional(
        Type.Boolean({
          description: 'true: check the rows and respond as an import would, without storing them',
        }),
      ),
    }),
    body: named(
      'ImportTransactionsRequest',
      Type.Object({
        transactions: Type.Array(ImportRow, {
          minItems: 1,
          description: 'a list of at least one transaction',
          examples: [[{ account_id: 'acct_…', amount: '-12.50', date: '2026-03-01', description: 'Lunch' }]],
        }),
      }),
    ),
    bodyLimitBytes: IMPORT_LIMIT_BYTES,
    response: Empty,
    errors: ['link_disconnected'],
    assumed: [
      { what: 'the rows, all or nothing', why: '§7.4' },
      {
        what: 'the parameter dry_run: with true the response is that of an import, including refusals, and nothing is stored',
        why: 'ours: the specification has no way to test rows',
      },
      {
        what: 'posted rows change the balance of their account; pending ones stay pending until a row replaces them',
        why: 'ours: a balance stays the sum of its transactions',
      },
    ],
    summary: 'Import transactions of another provider; all of them or none',
  }),
  endpoint('POST /bank_links/{link_id}/reset', {
    operationId: 'resetBankLink',
    ...bank,
    response: Empty,
    assumed: [{ what: 'the data stays readable', why: 'A64' }],
    summary: 'Disconnect a link, for testing',
  }),
  endpoint('GET /_kyclone/bank_links', {
    operationId: 'listInspectedBankLinks',
    ...control,
    query: Type.Object({
      ...SpaceQuery,
      ...CursorQuery,
      fp_id: Type.Optional(Type.String({ description: 'the id of a user or a business' })),
      state: Type.Optional(LinkStateName),
      link_ids: Type.Optional(Type.String({ description: 'ids of links, comma-separated' })),
    }),
    response: CursorPage(InspectedLink),
    errors: ['not_found'],
    assumed: [
      {
        what: 'link_ids filters as in GET /bank_links; a filter that matches nothing gives an empty list',
        why: 'ours: §11 names fp_id and state',
      },
    ],
    summary: 'Bank links of a tenant and environment with their state, newest first',
  }),
  endpoint('POST /_kyclone/bank_link_intents', {
    operationId: 'createBankLinkIntent',
    ...control,
    body: named(
      'CreateBankLinkIntentRequest',
      Type.Object(
        {
          fp_id: Type.String({
            minLength: 1,
            maxLength: 64,
            [EXPECTS]: 'the id of a user (fp_id_…) or of a business (fp_bid_…)',
          }),
          persona: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: 64,
              [EXPECTS]: 'the name of a persona (kyclone bank personas list shows them)',
            }),
          ),
          institution: Type.Optional(InstitutionName),
          link_id: Type.Optional(
            Nullable(
              Type.String({ minLength: 1, maxLength: 64, [EXPECTS]: 'the id of a bank link (link_…)' }),
            ),
          ),
          redirect_url: Type.Optional(RedirectUrl),
        },
        strict,
      ),
    ),
    response: named(
      'BankLinkIntent',
      Type.Object({
        intent_token: Type.String({ description: 'blit_…' }),
        fp_id: Type.String(),
        persona: Type.String(),
        institution: Type.String(),
        link_id: OptionalText,
        link: Type.String({ description: 'the page on which a person chooses the bank' }),
        expires_at: Timestamp,
      }),
    ),
    errors: ['not_found'],
    assumed: [
      { what: 'data comes from personas, the same for the same seed and link', why: 'A66' },
      {
        what: 'a reconnection keeps the persona and the institution of its link: others are 400',
        why: 'ours: the link already has their accounts',
      },
      {
        what: 'link is the page of the intent; redirect_url is the page after it, as for a session; the choices of a person on the page override persona and institution, and accounts that were not chosen are left out of the link',
        why: 'A77: an intent whose page was never opened is used as created',
      },
    ],
    summary: 'Create the intent that a user gets by finishing the bank flow',
  }),
  endpoint('GET /_kyclone/personas', {
    operationId: 'listPersonas',
    ...control,
    response: Type.Array(
      named(
        'Persona',
        Type.Object({ name: Type.String(), description: Type.String(), kind: Type.Literal('bank') }),
      ),
    ),
    summary: 'The personas whose bank data a link can bring',
  }),
] as const;
