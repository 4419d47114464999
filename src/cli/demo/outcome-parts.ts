/** The tour: outcomes and their events, a bank over time, faults, snapshots and deletion, which stays last. */
import { JANE } from './people.ts';
import type { TourPart } from './tour.ts';

const KYC = 'pb_test_kycdefault000000000000';
const KYB = 'pb_test_kybdefault000000000000';
const REVIEWER = 'robin@example.com';
const ACCOUNT_NUMBER = 'bank.{account}.ach_account_number';
const SNAPSHOT = '/_kyclone/snapshots/before-the-end';

export const outcomeParts: readonly TourPart[] = [
  {
    promise: 'Your test chooses an outcome, and a reviewer can overrule it',
    steps: [
      {
        title: 'A backend says where it wants to receive events',
        call: 'POST /_kyclone/webhooks',
        body: { url: '{receiver}/hooks', kinds: ['onboarding.completed'] },
        claims: [
          { says: 'there is a secret, which proves who sends the events', form: { secret: /^whsec_/ } },
        ],
      },
      {
        title: 'A user is verified, and the test chooses the outcome',
        call: 'POST /users/{user}/kyc',
        body: { key: KYC, fixture_result: 'manual_review' },
        claims: [
          {
            says: 'the user failed, and the run needs a review',
            is: { status: 'fail', requires_manual_review: true },
          },
        ],
      },
      {
        title: 'Why: the risk signals, most severe first',
        call: 'GET /users/{user}/risk_signals',
        claims: [
          {
            says: 'a sanctions list comes first, and the matching birthday after it',
            is: { '[0].reason_code': 'watchlist_hit_ofac' },
            some: { of: '', have: [{ reason_code: 'dob_matches' }] },
          },
          { says: 'no value of the user is in it', without: [JANE['id.ssn9'], JANE['id.last_name']] },
        ],
      },
      {
        title: 'Somebody looked, and it was not the person on the list',
        call: 'POST /users/{user}/decisions',
        body: { status: 'pass', annotation: 'another person on the list', reviewer_email: REVIEWER },
      },
      {
        title: 'Both decisions are listed, newest first',
        call: 'GET /users/{user}/decisions',
        claims: [
          {
            says: 'by hand a pass, by the playbook a fail',
            rows: { of: 'data', columns: ['kind', 'status'], are: ['manual pass', 'playbook_run fail'] },
          },
        ],
      },
      {
        title: 'A report about a verified customer, for a partner',
        call: 'POST /users/{user}/integrations/partner_a/cip_report',
        body: { default_approver: 'Compliance' },
        claims: [
          {
            says: 'approved by the reviewer, with the hit on record',
            is: { result: 'clear', approved_by: REVIEWER, 'watchlist.sanction': 'consider' },
          },
        ],
      },
    ],
  },
  {
    promise: 'An outcome can take five minutes, and no test has to wait',
    steps: [
      {
        title: 'Outcomes can be decided beforehand: this business fails, in five minutes',
        call: 'POST /_kyclone/outcomes',
        body: { match: { fp_id: '{business}' }, outcome: 'fail', delay_ms: 300_000, times: 1 },
      },
      {
        title: 'A business can be verified only with all the data that its playbook requires',
        call: 'POST /businesses/{business}/kyb',
        body: { key: KYB },
        answer: '400 T121',
        claims: [
          {
            says: 'the answer names what is missing',
            context: ['business.address_line1', 'business.zip', 'business.country'],
          },
        ],
      },
      {
        title: 'So the backend adds it',
        call: 'PATCH /businesses/{business}/vault',
        body: { 'business.address_line1': '1 Bank St', 'business.zip': '02109', 'business.country': 'US' },
      },
      {
        title: 'Then it is verified, which takes its time',
        call: 'POST /businesses/{business}/kyb',
        body: { key: KYB, onboarding_external_id: 'application-17' },
        remember: { onboarding: 'onboarding_id' },
        claims: [{ says: 'it is pending', is: { status: 'pending' } }],
      },
      {
        title: 'Nobody waits: the clock is advanced, and due work runs',
        call: 'PUT /_kyclone/clock',
        body: { action: 'advance', by: '5m' },
        claims: [{ says: 'something was', above: { drained: '0' } }],
      },
      {
        title: 'The business failed, as planned',
        call: 'GET /onboardings/{onboarding}',
        claims: [
          {
            says: 'the status is there, with the id that the backend gave it',
            is: { status: 'fail', onboarding_external_id: 'application-17' },
          },
        ],
      },
    ],
  },
  {
    promise: 'Your backend receives an event for each outcome',
    steps: [
      {
        title: 'The backend was notified of both',
        call: 'GET /_kyclone/deliveries',
        claims: [
          {
            says: 'two signed deliveries, each taken at the first attempt',
            rows: {
              of: 'data',
              columns: ['status', 'attempt', 'response_status'],
              are: ['delivered 1 200', 'delivered 1 200'],
            },
          },
        ],
      },
      { title: 'Back to real time', call: 'PUT /_kyclone/clock', body: { action: 'resume' } },
    ],
  },
  {
    promise: 'A linked bank account gets new transactions as days pass',
    steps: [
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
        claims: [{ says: 'it is connected', is: { state: 'connected' } }],
      },
      {
        title: 'Its accounts',
        call: 'GET /bank_links/{link}/accounts',
        remember: { account: 'accounts[0].id', mask: 'accounts[0].mask' },
        claims: [
          {
            says: 'checking, savings and a credit card, with balances as exact text',
            is: {
              'accounts[].account_type': [
                'depository.checking',
                'depository.savings',
                'liability.credit_card',
              ],
            },
            form: { 'accounts[].balances.current': /^-?\d+\.\d\d$/ },
          },
        ],
      },
      {
        title: 'Transactions of a year and a half, newest first',
        call: 'GET /bank_links/{link}/transactions?size=2',
        remember: { total: 'total' },
        claims: [{ says: 'there are hundreds', above: { total: '500' } }],
      },
      {
        title: 'The account number is in the vault, and is decrypted only with a reason',
        call: 'POST /users/{user}/vault/decrypt',
        body: { fields: [ACCOUNT_NUMBER], reason: 'a tour of the service', transforms: ['suffix(4)'] },
        claims: [
          { says: 'its last four digits are the mask of the account', is: { [ACCOUNT_NUMBER]: '{mask}' } },
        ],
      },
      { title: '3 days go by', call: 'PUT /_kyclone/clock', body: { action: 'advance', by: '3d' } },
      {
        title: 'There are new transactions, and nobody asked the bank',
        call: 'GET /bank_links/{link}/transactions?size=2',
        claims: [{ says: 'the list has grown', above: { total: '{total}' } }],
      },
      { title: 'The clock shows real time again', call: 'PUT /_kyclone/clock', body: { action: 'resume' } },
    ],
  },
  {
    promise: 'A fault rule makes one request fail, and the next one succeeds',
    steps: [
      {
        title: 'A fault rule lets the next request of a kind fail',
        call: 'POST /_kyclone/faults',
        body: { match: { method: 'GET', path: '/users/*' }, status: 503, times: 1 },
      },
      {
        title: 'So it does',
        call: 'GET /users/{user}',
        answer: '503 fault_injected',
        claims: [{ says: 'the client learns when to try again', header: { 'retry-after': '1' } }],
      },
      { title: 'and the one after it does not', call: 'GET /users/{user}' },
    ],
  },
  {
    promise: 'A snapshot brings a deleted user back',
    steps: [
      { title: 'The whole state is saved', call: `PUT ${SNAPSHOT}` },
      { title: 'A user is deleted', call: 'DELETE /users/{user}' },
      { title: 'The state is loaded again', call: `POST ${SNAPSHOT}/load` },
      {
        title: 'The user is back, and so are the values in the vault',
        call: 'POST /users/{user}/vault/decrypt',
        body: { fields: ['id.first_name'], reason: 'a guided tour' },
        claims: [{ says: 'the name opens', is: { 'id.first_name': JANE['id.first_name'] } }],
      },
    ],
  },
  {
    promise: 'A deleted user is gone, and the log of earlier reads is intact',
    steps: [
      { title: 'Deleting a user destroys the key of its vault', call: 'DELETE /users/{user}' },
      { title: 'After that the user no longer exists', call: 'GET /users/{user}', answer: '404 not_found' },
      {
        title: 'Earlier reads stay on record',
        call: 'GET /_kyclone/access-log/verify',
        claims: [{ says: 'the chain still holds', is: { ok: true } }],
      },
    ],
  },
];
