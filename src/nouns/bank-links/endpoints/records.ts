/** Bank data: links, accounts, transactions, holdings and securities, as the API returns them (contract §7.1). */
import { Type, type Static } from '@sinclair/typebox';
import {
  ACCOUNT_TYPES,
  BANK_PRODUCTS,
  INVESTMENT_TRANSACTION_TYPES,
  LINK_ERRORS,
  LINK_STATES,
  SECURITY_TYPES,
  TRANSACTION_TYPES,
  type BankProduct,
} from '../facts.ts';
import { named, Nullable, OneOf, Timestamp } from '../../../contract/shapes.ts';

export const BankProductName = named('BankProduct', OneOf(BANK_PRODUCTS));

export const LinkStateName = named('BankLinkState', OneOf(LINK_STATES));
export const LinkErrorName = named('BankLinkError', OneOf(LINK_ERRORS));

export const AccountTypeName = named('BankAccountType', OneOf(ACCOUNT_TYPES));

const Decimal = (description: string) => Type.String({ description });
const Money = Decimal('a decimal with two places or more');
const CivilDate = Type.String({ description: 'YYYY-MM-DD' });
export const OptionalText = Nullable(Type.String());

const ProductTimes = named(
  'BankProductTimes',
  Type.Object({ refreshed_at: Nullable(Timestamp), last_attempted_at: Nullable(Timestamp) }),
);

export const BankLink = named(
  'BankLink',
  Type.Object({
    id: Type.String(),
    fp_id: Type.String({ description: 'the user or business' }),
    external_id: OptionalText,
    created_at: Timestamp,
    state: LinkStateName,
    error_code: Nullable(LinkErrorName),
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
      { description: 'state of each product' },
    ),
    last_synced_at: Nullable(Timestamp),
  }),
);
export type BankLink = Static<typeof BankLink>;

export const BankLinkItem = named(
  'BankLinkSummary',
  Type.Object({ id: Type.String(), fp_id: Type.String(), external_id: OptionalText, created_at: Timestamp }),
);

/** A link in the form of the control plane (contract §11). */
export const InspectedLink = named(
  'InspectedBankLink',
  Type.Object({
    ...BankLinkItem.properties,
    state: BankLink.properties.state,
    error_code: BankLink.properties.error_code,
    institution_name: BankLink.properties.institution_name,
    persona: Type.String(),
  }),
);

export const BankAccount = named(
  'BankAccount',
  Type.Object({
    id: Type.String(),
    link_id: Type.String(),
    name: Type.String(),
    nickname: OptionalText,
    mask: OptionalText,
    closed: Nullable(Type.Boolean()),
    account_type: AccountTypeName,
    balances: Nullable(
      named(
        'BankAccountBalances',
        Type.Object({
          available: Nullable(Money),
          balance_date: Timestamp,
          currency: Type.String({ description: 'ISO 4217' }),
          current: Money,
          limit: Nullable(Money),
        }),
      ),
    ),
    raw_provider_data: Nullable(
      Type.Object({
        persona: Type.String(),
        account: Type.String({ description: 'the role of the account for the persona' }),
      }),
    ),
  }),
);
export type BankAccount = Static<typeof BankAccount>;

const Confidence = Decimal('0 to 1');
const Labelled = Nullable(
  named('EnrichedLabel', Type.Object({ confidence: Confidence, value: Type.String() })),
);
const Party = Nullable(
  named(
    'EnrichedParty',
    Type.Object({ confidence: Confidence, id: Type.String(), logo: OptionalText, name: Type.String() }),
  ),
);
const Enrichment = named(
  'TransactionEnrichment',
  Type.Object({ category: Labelled, subcategory: Labelled, merchant: Party, processor: Party }),
);
export type Enrichment = Static<typeof Enrichment>;

export const BankTransaction = named(
  'Transaction',
  Type.Object({
    transaction_id: Type.String(),
    account_id: Type.String(),
    amount: Decimal('a decimal, not negative: type gives the direction'),
    currency: Type.String({ description: 'ISO 4217' }),
    date: CivilDate,
    datetime: Nullable(Type.String({ description: 'ISO 8601 with an offset' })),
    description: OptionalText,
    raw_description: OptionalText,
    category: OptionalText,
    enrichment: Nullable(Enrichment),
    pending: Type.Boolean(),
    type: OneOf(TRANSACTION_TYPES),
  }),
);
export type BankTransaction = Static<typeof BankTransaction>;

export const Holding = named(
  'Holding',
  Type.Object({
    account_id: Type.String(),
    security_id: Type.String(),
    quantity: Decimal('a decimal'),
    cost_basis: Nullable(Money),
    price: Nullable(Money),
    price_datetime: Nullable(Timestamp),
    value: Nullable(Money),
  }),
);
export type Holding = Static<typeof Holding>;

export const Security = named(
  'Security',
  Type.Object({
    security_id: Type.String(),
    name: Type.String(),
    currency: Type.String({ description: 'ISO 4217' }),
    type: OneOf(SECURITY_TYPES),
    ticker: OptionalText,
    isin: OptionalText,
    sedol: OptionalText,
    close_price: Nullable(Money),
    close_date: Nullable(CivilDate),
  }),
);
export type Security = Static<typeof Security>;

export const InvestmentTransaction = named(
  'InvestmentTransaction',
  Type.Object({
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
  }),
);
export type InvestmentTransaction = Static<typeof InvestmentTransaction>;
