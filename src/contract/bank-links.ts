/** Bank links and what they bring: accounts, transactions, investments (contract §2.22, §7). */
import { Type, type Static } from '@sinclair/typebox';
import { controlToken, endpoint, secretKey, type Stability } from './endpoint.ts';
import { CursorPage, CursorQuery, Empty, Nullable, OneOf, Timestamp } from './shapes.ts';
import { MIB } from '../kernel/units.ts';

const control = { stability: 'emulator' satisfies Stability, auth: controlToken } as const;
const strict = { additionalProperties: false } as const;
const bank = {
  auth: secretKey({ scope: 'preview:bank_linking', permission: 'bank_links' }),
  stability: 'preview' satisfies Stability,
} as const;

/** What is refreshed, each on its own. */
export const BANK_PRODUCTS = [
  'accounts',
  'account_numbers',
  'identity',
  'transactions',
  'investments',
] as const;
export type BankProduct = (typeof BANK_PRODUCTS)[number];

export const LINK_STATES = ['connected', 'error'] as const;
export const LINK_ERRORS = ['auth_expired', 'institution_error'] as const;
export type LinkError = (typeof LINK_ERRORS)[number];

export const ACCOUNT_TYPES = [
  ...['depository.checking', 'depository.savings', 'depository.money_market', 'depository.cd'],
  ...['liability.credit_card', 'liability.line_of_credit', 'liability.loan', 'liability.student_loan'],
  ...['liability.mortgage', 'investment.brokerage', 'investment.ira', 'investment.roth'],
  ...['investment.401k', 'investment.529', 'other', 'unknown'],
] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

export const TRANSACTION_TYPES = ['debit', 'credit'] as const;
export const INVESTMENT_TRANSACTION_TYPES = ['buy', 'sell', 'cash', 'fee', 'transfer'] as const;
export const SECURITY_TYPES = [
  ...['equity', 'etf', 'mutual_fund', 'fixed_income', 'cash', 'cryptocurrency'],
] as const;

export const DEFAULT_INSTITUTION = 'First Example Bank';
export const DEFAULT_PERSONA = 'default';
/** Of an intent, from its minting on. */
export const INTENT_TTL_MINUTES = 30;
/** How long a refresh takes by the clock of the instance. */
export const REFRESH_SECONDS = 2;
export const IMPORT_LIMIT_BYTES = MIB;

const Decimal = (description: string) => Type.String({ description });
const Money = Decimal('a decimal with two places or more');
const CivilDate = Type.String({ description: 'YYYY-MM-DD' });
const OptionalText = Nullable(Type.String());

const ProductTimes = Type.Object({
  ...{ refreshed_at: Nullable(Timestamp), last_attempted_at: Nullable(Timestamp) },
});

export const BankLink = Type.Object({
  id: Type.String(),
  fp_id: Type.String({ description: 'a user or a business' }),
  external_id: OptionalText,
  created_at: Timestamp,
  state: OneOf(LINK_STATES),
  error_code: Nullable(OneOf(LINK_ERRORS)),
  institution_id: Type.String(),
  institution_name: Type.String(),
  products: Type.Partial(
    Type.Object({
      accounts: ProductTimes,
      account_numbers: ProductTimes,
      identity: ProductTimes,
      transactions: ProductTimes,
      investments: ProductTimes,
    } satisfies Record<BankProduct, unknown>),
    { description: 'what is refreshed, each by its name' },
  ),
  last_synced_at: Nullable(Timestamp),
});
export type BankLink = Static<typeof BankLink>;

const BankLinkItem = Type.Object({
  ...{ id: Type.String(), fp_id: Type.String(), external_id: OptionalText, created_at: Timestamp },
});

export const BankAccount = Type.Object({
  id: Type.String(),
  link_id: Type.String(),
  name: Type.String(),
  nickname: OptionalText,
  mask: OptionalText,
  closed: Nullable(Type.Boolean()),
  account_type: OneOf(ACCOUNT_TYPES),
  balances: Nullable(
    Type.Object({
      available: Nullable(Money),
      balance_date: Timestamp,
      currency: Type.String({ description: 'ISO 4217' }),
      current: Money,
      limit: Nullable(Money),
    }),
  ),
  raw_provider_data: Nullable(
    Type.Object({
      persona: Type.String(),
      account: Type.String({ description: 'what it is to the persona' }),
    }),
  ),
});
export type BankAccount = Static<typeof BankAccount>;

const Confidence = Decimal('0 to 1');
const Labelled = Nullable(Type.Object({ confidence: Confidence, value: Type.String() }));
const Party = Nullable(
  Type.Object({ confidence: Confidence, id: Type.String(), logo: OptionalText, name: Type.String() }),
);
const Enrichment = Type.Object({
  ...{ category: Labelled, subcategory: Labelled, merchant: Party, processor: Party },
});
export type Enrichment = Static<typeof Enrichment>;

export const BankTransaction = Type.Object({
  transaction_id: Type.String(),
  account_id: Type.String(),
  amount: Decimal('a decimal, not negative: type tells the direction'),
  currency: Type.String({ description: 'ISO 4217' }),
  date: CivilDate,
  datetime: Nullable(Type.String({ description: 'ISO 8601 with an offset' })),
  description: OptionalText,
  raw_description: OptionalText,
  category: OptionalText,
  enrichment: Nullable(Enrichment),
  pending: Type.Boolean(),
  type: OneOf(TRANSACTION_TYPES),
});
export type BankTransaction = Static<typeof BankTransaction>;

const Holding = Type.Object({
  account_id: Type.String(),
  security_id: Type.String(),
  quantity: Decimal('a decimal'),
  cost_basis: Nullable(Money),
  price: Nullable(Money),
  price_datetime: Nullable(Timestamp),
  value: Nullable(Money),
});
export type Holding = Static<typeof Holding>;

const Security = Type.Object({
  security_id: Type.String(),
  name: Type.String(),
  currency: Type.String({ description: 'ISO 4217' }),
  type: OneOf(SECURITY_TYPES),
  ticker: OptionalText,
  isin: OptionalText,
  sedol: OptionalText,
  close_price: Nullable(Money),
  close_date: Nullable(CivilDate),
});
export type Security = Static<typeof Security>;

export const InvestmentTransaction = Type.Object({
  investment_transaction_id: Type.String(),
  account_id: Type.String(),
  security_id: OptionalText,
  type: OneOf(INVESTMENT_TRANSACTION_TYPES),
  amount: Decimal('a decimal, not negative'),
  quantity: Nullable(Decimal('a decimal')),
  price: Nullable(Money),
  fees: Nullable(Money),
  currency: Type.String({ description: 'ISO 4217' }),
  date: CivilDate,
  datetime: Nullable(Type.String({ description: 'ISO 8601 with an offset' })),
  description: OptionalText,
});
export type InvestmentTransaction = Static<typeof InvestmentTransaction>;

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
    Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'an integer from 1 to 100' }),
  ),
};
const page = {
  page: Type.Integer(),
  size: Type.Integer(),
  total: Type.Integer({ description: 'matches over all pages' }),
};

const Products = Type.Array(OneOf(BANK_PRODUCTS), {
  minItems: 1,
  description: `a list of products: ${BANK_PRODUCTS.join(', ')}`,
  examples: [['transactions']],
});

/**
 * Rows are judged one by one by the import itself, which tells what is wrong with each (contract §7.4): the schema says
 * only that they are objects.
 */
const ImportRow = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  description: [
    'a transaction: account_id, amount (a decimal text; negative: a debit), date (YYYY-MM-DD or a date-time) and',
    'description; optional: transaction_id, type, raw_description, category, currency, pending, datetime',
  ].join(' '),
});

export const bankLinkEndpoints = [
  endpoint('GET /bank_links', {
    ...bank,
    query: Type.Object({
      link_ids: Type.Optional(Type.String({ description: 'ids of links, comma-separated' })),
      ...CursorQuery,
    }),
    response: CursorPage(BankLinkItem),
    errors: [],
    summary: 'Bank links, newest first',
  }),
  endpoint('POST /bank_links', {
    ...bank,
    body: Type.Object({
      intent_token: Type.String({ minLength: 1, maxLength: 128 }),
      external_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 256 }))),
    }),
    response: BankLink,
    errors: ['intent_invalid', 'conflict'],
    assumed: [
      { what: 'the body and the members of the Link', why: 'A61' },
      { what: 'account numbers of checking and savings accounts enter the vault of a user', why: 'A64' },
      {
        what: 'the vault of a business takes no bank data: nothing is stored there',
        why: 'ours: §1 names the families of a business vault, and bank is none of them',
      },
      {
        what: 'a new link is told by no event; one that is connected again is',
        why: 'ours: whoever makes a link has it in the answer',
      },
    ],
    summary: 'Connect a bank: make a link of an intent, or reconnect one',
  }),
  endpoint('GET /bank_links/{link_id}', {
    ...bank,
    response: BankLink,
    errors: [],
    assumed: [{ what: 'the members of the Link', why: 'A61' }],
    summary: 'Read a bank link',
  }),
  endpoint('DELETE /bank_links/{link_id}', {
    ...bank,
    response: Empty,
    errors: [],
    assumed: [{ what: 'what is in the vault stays there', why: 'A64' }],
    summary: 'Delete a bank link with its accounts and transactions',
  }),
  endpoint('GET /bank_links/{link_id}/accounts', {
    ...bank,
    response: Type.Object({ accounts: Type.Array(BankAccount) }),
    errors: [],
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
    ...bank,
    query: Type.Object(numbered),
    response: Type.Object({ ...page, transactions: Type.Array(BankTransaction) }),
    errors: [],
    summary: 'The transactions of a link, newest first',
  }),
  endpoint('GET /bank_links/{link_id}/investments/holdings', {
    ...bank,
    query: Type.Object({ account_ids: AccountIds }),
    response: Type.Object({ holdings: Type.Array(Holding), securities: Type.Array(Security) }),
    errors: [],
    summary: 'What is held in the investment accounts of a link',
  }),
  endpoint('GET /bank_links/{link_id}/investments/transactions', {
    ...bank,
    query: Type.Object(numbered),
    response: Type.Object({
      ...page,
      investment_transactions: Type.Array(InvestmentTransaction),
      securities: Type.Array(Security),
    }),
    errors: [],
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
    ...bank,
    body: Type.Union([Type.Object({ products: Products }), Products], {
      description: `an object with a list of products, or the list: ${BANK_PRODUCTS.join(', ')}`,
    }),
    response: Empty,
    errors: ['link_disconnected'],
    assumed: [
      { what: 'the body; a refresh takes two seconds of the clock', why: 'A64' },
      {
        what: 'products that a link has nothing of are refreshed with nothing new; one that is disconnected meanwhile fails',
        why: 'ours: only unknown products are refused',
      },
      {
        what: 'links refresh themselves at each midnight (UTC) too; what a day has brought so far comes by a refresh',
        why: 'ours: pending transactions post by the clock, and nobody has to ask a bank for yesterday',
      },
      {
        what: 'ten years after a link was made its bank has nothing new any more',
        why: 'ours: a clock that is moved by centuries comes there in seconds',
      },
    ],
    summary: 'Ask the bank for what is new',
  }),
  endpoint('POST /bank_links/{link_id}/import/transactions', {
    ...bank,
    body: Type.Object({
      transactions: Type.Array(ImportRow, {
        minItems: 1,
        description: 'a list of at least one transaction',
        examples: [[{ account_id: 'acct_…', amount: '-12.50', date: '2026-03-01', description: 'Lunch' }]],
      }),
    }),
    bodyLimitBytes: IMPORT_LIMIT_BYTES,
    response: Empty,
    errors: ['link_disconnected'],
    assumed: [
      { what: 'the rows, all or nothing', why: '§7.4' },
      {
        what: 'posted rows move the balance of their account; pending ones stay so until a row replaces them',
        why: 'ours: balances stay what the transactions add up to',
      },
    ],
    summary: 'Import transactions of another provider; all of them or none',
  }),
  endpoint('POST /bank_links/{link_id}/reset', {
    ...bank,
    response: Empty,
    errors: [],
    assumed: [{ what: 'the data stays readable', why: 'A64' }],
    summary: 'Disconnect a link, for testing',
  }),
  endpoint('POST /_kyclone/bank_link_intents', {
    ...control,
    body: Type.Object(
      {
        fp_id: Type.String({ minLength: 1, maxLength: 64 }),
        persona: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
        institution: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 128,
            // No control characters, and more than blanks.
            pattern: '^[^\\x00-\\x1f\\x7f]*[^\\s\\x00-\\x1f\\x7f][^\\x00-\\x1f\\x7f]*$',
            description: 'a text of 1 to 128 characters',
          }),
        ),
        link_id: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 64 }))),
      },
      strict,
    ),
    response: Type.Object({
      intent_token: Type.String({ description: 'blit_…' }),
      fp_id: Type.String(),
      persona: Type.String(),
      institution: Type.String(),
      link_id: OptionalText,
      expires_at: Timestamp,
    }),
    errors: ['not_found'],
    assumed: [
      { what: 'data comes from personas, the same for the same seed and link', why: 'A66' },
      {
        what: 'a reconnection keeps the persona and the institution of its link: others are 400',
        why: 'ours: the accounts are there already',
      },
    ],
    summary: 'What a user finishing the bank flow would hand over: the intent of a link',
  }),
  endpoint('GET /_kyclone/personas', {
    ...control,
    response: Type.Array(
      Type.Object({ name: Type.String(), description: Type.String(), kind: Type.Literal('bank') }),
    ),
    errors: [],
    summary: 'Whose bank data there is to choose from',
  }),
] as const;
