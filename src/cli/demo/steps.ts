/** The parts of the tour in order, and the steps about the access log, faults, snapshots and deletion. */
import { clientTokenSteps, fileSteps } from './files.ts';
import { flowSteps, businessSteps, eventSteps, timeSteps, userSteps } from './onboarding.ts';
import { JANE } from './people.ts';
import { proxySteps } from './proxy.ts';
import type { ThirdParty } from './stage.ts';
import { fact, has, header, listOf, status, type TourPart, type TourStep } from './tour.ts';
import { findingSteps, readingSteps, writingSteps } from './vault.ts';

const REASON = 'a tour of the service';
const DAYS = 3;
const ACCOUNT_NUMBER = 'bank.{account}.ach_account_number';

/** A user links a bank account: transactions appear, the account number is in the vault, and days pass. */
const bankSteps: readonly TourStep[] = [
  {
    title: 'A user completes the bank flow: an intent, for a persona of choice',
    call: 'POST /_kyclone/bank_link_intents',
    body: { fp_id: '{user}', persona: 'default' },
    remember: { intent: 'intent_token' },
  },
  {
    title: 'The backend makes a bank link of it',
    call: 'POST /bank_links',
    body: { intent_token: '{intent}' },
    remember: { link: 'id' },
    claims: [has('it is connected', { state: 'connected' })],
  },
  {
    title: 'Its accounts',
    call: 'GET /bank_links/{link}/accounts',
    remember: {
      account: ({ body }) => listOf(body['accounts'])[0]?.['id'],
      mask: ({ body }) => listOf(body['accounts'])[0]?.['mask'],
    },
    claims: [
      {
        says: 'checking, savings and a credit card, with balances as exact text',
        holds: ({ body }) => {
          const accounts = listOf(body['accounts']);
          return (
            accounts.map(({ account_type: type }) => type).join() ===
              'depository.checking,depository.savings,liability.credit_card' &&
            accounts.every(({ balances }) => /^-?\d+\.\d\d$/.test((balances as { current: string }).current))
          );
        },
      },
    ],
  },
  {
    title: 'Transactions of a year and a half, newest first',
    call: 'GET /bank_links/{link}/transactions?size=2',
    remember: { total: 'total' },
    claims: [{ says: 'there are hundreds', holds: ({ body }) => Number(body['total']) > 500 }],
  },
  {
    title: 'The account number is in the vault, and is decrypted only with a reason',
    call: 'POST /users/{user}/vault/decrypt',
    body: { fields: [ACCOUNT_NUMBER], reason: REASON, transforms: ['suffix(4)'] },
    claims: [has('its last four digits are the mask of the account', { [ACCOUNT_NUMBER]: '{mask}' })],
  },
  { title: `${DAYS} days go by`, call: 'PUT /_kyclone/clock', body: { action: 'advance', by: `${DAYS}d` } },
  {
    title: 'There are new transactions, and nobody asked the bank',
    call: 'GET /bank_links/{link}/transactions?size=2',
    claims: [
      {
        says: 'the list has grown',
        holds: ({ body }, facts) => Number(body['total']) > Number(fact(facts, 'total')),
      },
    ],
  },
  { title: 'The clock shows real time again', call: 'PUT /_kyclone/clock', body: { action: 'resume' } },
];

const auditSteps: readonly TourStep[] = [
  {
    title: 'Every read was recorded, even the refused one',
    call: 'GET /_kyclone/access-log?fp_id={user}',
    claims: [
      {
        says: 'the decryptions are there with their reasons',
        holds: ({ body }) =>
          ['demo: support case', 'demo: birthday list', 'demo: what was it before?'].every((wanted) =>
            listOf(body['data']).some(({ outcome, reason }) => outcome === 'granted' && reason === wanted),
          ),
      },
      {
        says: 'so is the one without a reason, as refused',
        holds: ({ body }) =>
          listOf(body['data']).some(({ outcome, reason }) => outcome === 'refused' && reason === null),
      },
      {
        says: 'so are the comparison and the download',
        holds: ({ body }) =>
          ['integrity', 'download'].every((kind) =>
            listOf(body['data']).some(({ operation }) => operation === kind),
          ),
      },
    ],
  },
  {
    title: 'The log is a chain of hashes: a changed or missing entry would show',
    call: 'GET /_kyclone/access-log/verify',
    claims: [
      { says: 'the chain holds', holds: ({ body }) => body['ok'] === true && Number(body['checked']) >= 5 },
    ],
  },
];

const SNAPSHOT = '/_kyclone/snapshots/before-the-end';

const faultSteps: readonly TourStep[] = [
  {
    title: 'A fault rule lets the next request of a kind fail',
    call: 'POST /_kyclone/faults',
    body: { match: { method: 'GET', path: '/users/*' }, status: 503, times: 1 },
  },
  {
    title: 'So it does',
    call: 'GET /users/{user}',
    answer: status(503, 'fault_injected'),
    claims: [header('retry-after', '1', 'the client learns when to try again')],
  },
  { title: 'and the one after it does not', call: 'GET /users/{user}' },
];

const snapshotSteps: readonly TourStep[] = [
  { title: 'The whole state is saved', call: `PUT ${SNAPSHOT}` },
  { title: 'A user is deleted', call: 'DELETE /users/{user}' },
  { title: 'The state is loaded again', call: `POST ${SNAPSHOT}/load` },
  {
    title: 'The user is back, and so are the values in the vault',
    call: 'POST /users/{user}/vault/decrypt',
    body: { fields: ['id.first_name'], reason: 'a guided tour' },
    claims: [has('the name opens', { 'id.first_name': JANE['id.first_name'] })],
  },
];

const deletionSteps: readonly TourStep[] = [
  { title: 'Deleting a user destroys the key of its vault', call: 'DELETE /users/{user}' },
  {
    title: 'After that the user no longer exists',
    call: 'GET /users/{user}',
    answer: status(404, 'not_found'),
  },
  {
    title: 'Earlier reads stay on record',
    call: 'GET /_kyclone/access-log/verify',
    claims: [has('the chain still holds', { ok: true })],
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
