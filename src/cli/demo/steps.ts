/** The parts of the tour in order, and the steps about the access log, faults, snapshots and deletion. */
import { clientTokenSteps, fileSteps } from './files.ts';
import { flowSteps, businessSteps, eventSteps, timeSteps, userSteps } from './onboarding.ts';
import { proxySteps } from './proxy.ts';
import type { ThirdParty } from './stage.ts';
import { fact, header, listOf, status, type TourPart, type TourStep } from './tour.ts';
import { findingSteps, readingSteps, writingSteps } from './vault.ts';

const REASON = 'a tour of the service';
const DAYS = 3;

/** A user links a bank account: transactions appear, the account number is in the vault, and days pass. */
const bankSteps: readonly TourStep[] = [
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

interface Entry {
  readonly operation: string;
  readonly outcome: string;
  readonly reason: string | null;
}

const auditSteps: readonly TourStep[] = [
  {
    title: 'Every read was recorded, even the refused one',
    request: (facts) => ({ method: 'GET', path: `/_kyclone/access-log?fp_id=${fact(facts, 'user')}` }),
    claims: [
      status(200),
      {
        says: 'the decryptions are there with their reasons',
        holds: ({ body }) =>
          ['demo: support case', 'demo: birthday list', 'demo: what was it before?'].every((reason) =>
            entries(body).some((entry) => entry.outcome === 'granted' && entry.reason === reason),
          ),
      },
      {
        says: 'so is the one without a reason, as refused',
        holds: ({ body }) =>
          entries(body).some(({ outcome, reason }) => outcome === 'refused' && reason === null),
      },
      {
        says: 'so are the comparison and the download',
        holds: ({ body }) =>
          ['integrity', 'download'].every((kind) =>
            entries(body).some(({ operation }) => operation === kind),
          ),
      },
    ],
  },
  {
    title: 'The log is a chain of hashes: a changed or missing entry would show',
    request: () => ({ method: 'GET', path: '/_kyclone/access-log/verify' }),
    claims: [
      status(200),
      { says: 'the chain holds', holds: ({ body }) => body['ok'] === true && Number(body['checked']) >= 5 },
    ],
  },
];

function entries(body: Readonly<Record<string, unknown>>): Entry[] {
  return (Array.isArray(body['data']) ? body['data'] : []) as Entry[];
}

const SNAPSHOT = '/_kyclone/snapshots/before-the-end';

const faultSteps: readonly TourStep[] = [
  {
    title: 'A fault rule lets the next request of a kind fail',
    request: () => ({
      method: 'POST',
      path: '/_kyclone/faults',
      body: { match: { method: 'GET', path: '/users/*' }, status: 503, times: 1 },
    }),
    claims: [status(200)],
  },
  {
    title: 'So it does',
    request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}` }),
    claims: [
      status(503, 'fault_injected'),
      header('retry-after', '1', 'the client learns when to try again'),
    ],
  },
  {
    title: 'and the one after it does not',
    request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(200)],
  },
];

const snapshotSteps: readonly TourStep[] = [
  {
    title: 'The whole state is saved',
    request: () => ({ method: 'PUT', path: SNAPSHOT }),
    claims: [status(200)],
  },
  {
    title: 'A user is deleted',
    request: (facts) => ({ method: 'DELETE', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(200)],
  },
  {
    title: 'The state is loaded again',
    request: () => ({ method: 'POST', path: `${SNAPSHOT}/load` }),
    claims: [status(200)],
  },
  {
    title: 'The user is back, and so are the values in the vault',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/vault/decrypt`,
      body: { fields: ['id.first_name'], reason: 'a guided tour' },
    }),
    claims: [
      status(200),
      { says: 'the name opens', holds: ({ body }) => typeof body['id.first_name'] === 'string' },
    ],
  },
];

const deletionSteps: readonly TourStep[] = [
  {
    title: 'Deleting a user destroys the key of its vault',
    request: (facts) => ({ method: 'DELETE', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(200)],
  },
  {
    title: 'After that the user no longer exists',
    request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(404, 'not_found')],
  },
  {
    title: 'Earlier reads stay on record',
    request: () => ({ method: 'GET', path: '/_kyclone/access-log/verify' }),
    claims: [status(200), { says: 'the chain still holds', holds: ({ body }) => body['ok'] === true }],
  },
];

/** The tour, in order. A new part of the service adds its promise here; deletion stays last. */
export function tourParts(party: ThirdParty): readonly TourPart[] {
  return [
    { promise: 'A vault accepts valid personal data only, and people see masks', steps: writingSteps },
    { promise: 'Decrypting a value takes the API key and a reason', steps: readingSteps },
    { promise: 'A business has a vault too', steps: businessSteps },
    { promise: 'A browser gets a token for the fields it needs, and no key', steps: clientTokenSteps },
    { promise: 'Files have versions and come back byte by byte', steps: fileSteps },
    { promise: 'Duplicates and users are found without decrypting anything', steps: findingSteps },
    { promise: 'A third party gets values that your program never sees', steps: proxySteps(party) },
    { promise: 'A person can enter the data on a hosted page', steps: flowSteps },
    { promise: 'Every read is logged with its reason, even a refused one', steps: auditSteps },
    {
      promise: 'Your test chooses an outcome, and a reviewer can overrule it',
      steps: userSteps(party),
    },
    { promise: 'An outcome can take five minutes, and no test has to wait', steps: timeSteps },
    { promise: 'Your backend receives an event for each outcome', steps: eventSteps },
    { promise: 'A linked bank account gets new transactions as days pass', steps: bankSteps },
    { promise: 'A fault rule makes one request fail, and the next one succeeds', steps: faultSteps },
    { promise: 'A snapshot brings a deleted user back', steps: snapshotSteps },
    { promise: 'A deleted user is gone, and the log of earlier reads is intact', steps: deletionSteps },
  ];
}
