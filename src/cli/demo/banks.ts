import { fact, listOf, status, type TourStep } from './tour.ts';

const REASON = 'a tour of the service';
const DAYS = 3;

/** A user links a bank account: transactions appear, the account number is in the vault, and days pass. */
export const bankSteps: readonly TourStep[] = [
  {
    title: 'A user completes the bank flow: an intent, for a persona of choice',
    request: (facts) => ({
      method: 'POST',
      path: '/_kyclone/bank_link_intents',
      body: { fp_id: fact(facts, 'user'), persona: 'default' },
    }),
    claims: [status(200)],
    remember: ({ body }, facts) => facts.set('intent', String(body['intent_token'])),
  },
  {
    title: 'The backend makes a bank link of it',
    request: (facts) => ({
      method: 'POST',
      path: '/bank_links',
      body: { intent_token: fact(facts, 'intent') },
    }),
    claims: [status(200), { says: 'it is connected', holds: ({ body }) => body['state'] === 'connected' }],
    remember: ({ body }, facts) => facts.set('link', String(body['id'])),
  },
  {
    title: 'Its accounts',
    request: (facts) => ({ method: 'GET', path: `/bank_links/${fact(facts, 'link')}/accounts` }),
    claims: [
      status(200),
      {
        says: 'checking, savings and a credit card, with balances as exact text',
        holds: ({ body }) =>
          accountsOf(body)
            .map(({ account_type: type }) => String(type))
            .join() === 'depository.checking,depository.savings,liability.credit_card' &&
          accountsOf(body).every(({ balances }) => /^-?\d+\.\d\d$/.test(currentOf(balances))),
      },
    ],
    remember: ({ body }, facts) => {
      const [checking] = accountsOf(body);
      facts.set('account', String(checking?.['id']));
      facts.set('mask', String(checking?.['mask']));
    },
  },
  {
    title: 'Transactions of a year and a half, newest first',
    request: (facts) => ({
      method: 'GET',
      path: `/bank_links/${fact(facts, 'link')}/transactions?size=2`,
    }),
    claims: [status(200), { says: 'there are hundreds', holds: ({ body }) => Number(body['total']) > 500 }],
    remember: ({ body }, facts) => facts.set('total', String(body['total'])),
  },
  {
    title: 'The account number is in the vault, and is decrypted only with a reason',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/vault/decrypt`,
      body: { fields: [numberOf(facts)], reason: REASON, transforms: ['suffix(4)'] },
    }),
    claims: [
      status(200),
      {
        says: 'its last four digits are the mask of the account',
        holds: ({ body }, facts) => body[numberOf(facts)] === fact(facts, 'mask'),
      },
    ],
  },
  {
    title: `${DAYS} days go by`,
    request: () => ({ method: 'PUT', path: '/_kyclone/clock', body: { action: 'advance', by: `${DAYS}d` } }),
    claims: [status(200)],
  },
  {
    title: 'There are new transactions, and nobody asked the bank',
    request: (facts) => ({
      method: 'GET',
      path: `/bank_links/${fact(facts, 'link')}/transactions?size=2`,
    }),
    claims: [
      status(200),
      {
        says: 'the list has grown',
        holds: ({ body }, facts) => Number(body['total']) > Number(fact(facts, 'total')),
      },
    ],
  },
  {
    title: 'The clock shows real time again',
    request: () => ({ method: 'PUT', path: '/_kyclone/clock', body: { action: 'resume' } }),
    claims: [status(200)],
  },
];

function numberOf(facts: ReadonlyMap<string, string>): string {
  return `bank.${facts.get('account') ?? ''}.ach_account_number`;
}

function accountsOf(body: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return listOf(body['accounts']);
}

function currentOf(balances: unknown): string {
  return (balances as { current: string }).current;
}
