/** The tour: onboardings of a user and of a business, their reports and decisions. */
import type { ThirdParty } from './stage.ts';
import { fact, listOf, status, withoutText, type TourStep } from './tour.ts';
import { JANE, ACME } from './people.ts';

const KYC = 'pb_test_kycdefault000000000000';
const KYB = 'pb_test_kybdefault000000000000';
const REVIEWER = 'robin@example.com';

/** Registers a receiver of events, verifies a user and decides otherwise. */
export function userSteps(party: ThirdParty): readonly TourStep[] {
  return [
    {
      title: 'A backend says where it wants to receive events',
      request: () => ({
        method: 'POST',
        path: '/_kyclone/webhooks',
        body: { url: `${party.httpUrl}/hooks`, kinds: ['onboarding.completed'] },
      }),
      claims: [
        status(200),
        {
          says: 'there is a secret, which proves who sends the events',
          holds: ({ body }) => /^whsec_/.test(String(body['secret'])),
        },
      ],
    },
    {
      title: 'A user is verified, and the test chooses the outcome',
      request: (facts) => ({
        method: 'POST',
        path: `/users/${fact(facts, 'user')}/kyc`,
        body: { key: KYC, fixture_result: 'manual_review' },
      }),
      claims: [
        status(200),
        {
          says: 'the user failed, and the run needs a review',
          holds: ({ body }) => body['status'] === 'fail' && body['requires_manual_review'] === true,
        },
      ],
    },
    {
      title: 'Why: the risk signals, most severe first',
      request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}/risk_signals` }),
      claims: [
        status(200),
        {
          says: 'a sanctions list comes first, and the matching birthday after it',
          holds: (answer) => {
            const codes = listOf(JSON.parse(answer.text)).map(({ reason_code }) => reason_code);
            return codes[0] === 'watchlist_hit_ofac' && codes.indexOf('dob_matches') > 0;
          },
        },
        withoutText('no value of the user is in it', [JANE['id.ssn9'], JANE['id.last_name']]),
      ],
    },
    {
      title: 'Somebody looked, and it was not the person on the list',
      request: (facts) => ({
        method: 'POST',
        path: `/users/${fact(facts, 'user')}/decisions`,
        body: { status: 'pass', annotation: 'another person on the list', reviewer_email: REVIEWER },
      }),
      claims: [status(200)],
    },
    {
      title: 'Both decisions are listed, newest first',
      request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}/decisions` }),
      claims: [
        status(200),
        {
          says: 'by hand a pass, by the playbook a fail',
          holds: ({ body }) =>
            listOf(body['data'])
              .map(({ kind, status: decided }) => `${String(kind)} ${String(decided)}`)
              .join() === 'manual pass,playbook_run fail',
        },
      ],
    },
    {
      title: 'A report about a verified customer, for a partner',
      request: (facts) => ({
        method: 'POST',
        path: `/users/${fact(facts, 'user')}/integrations/partner_a/cip_report`,
        body: { default_approver: 'Compliance' },
      }),
      claims: [
        status(200),
        {
          says: 'approved by the reviewer, with the hit on record',
          holds: ({ body }) => {
            const { sanction } = (body['watchlist'] ?? {}) as { sanction?: unknown };
            return body['result'] === 'clear' && body['approved_by'] === REVIEWER && sanction === 'consider';
          },
        },
      ],
    },
  ];
}

/** Verifies a business, with an outcome that comes later. */
export const timeSteps: readonly TourStep[] = [
  {
    title: 'Outcomes can be decided beforehand: this business fails, in five minutes',
    request: (facts) => ({
      method: 'POST',
      path: '/_kyclone/outcomes',
      body: { match: { fp_id: fact(facts, 'business') }, outcome: 'fail', delay_ms: 300_000, times: 1 },
    }),
    claims: [status(200)],
  },
  {
    title: 'A business can be verified only with all the data that its playbook requires',
    request: (facts) => ({
      method: 'POST',
      path: `/businesses/${fact(facts, 'business')}/kyb`,
      body: { key: KYB },
    }),
    claims: [
      status(400, 'T121'),
      {
        says: 'the answer names what is missing',
        holds: ({ body }) =>
          Object.keys((body['context'] as object | undefined) ?? {}).join() ===
          'business.address_line1,business.zip,business.country',
      },
    ],
  },
  {
    title: 'So the backend adds it',
    request: (facts) => ({
      method: 'PATCH',
      path: `/businesses/${fact(facts, 'business')}/vault`,
      body: { 'business.address_line1': '1 Bank St', 'business.zip': '02109', 'business.country': 'US' },
    }),
    claims: [status(200)],
  },
  {
    title: 'Then it is verified, which takes its time',
    request: (facts) => ({
      method: 'POST',
      path: `/businesses/${fact(facts, 'business')}/kyb`,
      body: { key: KYB, onboarding_external_id: 'application-17' },
    }),
    claims: [status(200), { says: 'it is pending', holds: ({ body }) => body['status'] === 'pending' }],
    remember: ({ body }, facts) => facts.set('onboarding', String(body['onboarding_id'])),
  },
  {
    title: 'Nobody waits: the clock is advanced, and due work runs',
    request: () => ({
      method: 'PUT',
      path: '/_kyclone/clock',
      body: { action: 'advance', by: '5m' },
    }),
    claims: [status(200), { says: 'something was', holds: ({ body }) => Number(body['drained']) > 0 }],
  },
  {
    title: 'The business failed, as planned',
    request: (facts) => ({ method: 'GET', path: `/onboardings/${fact(facts, 'onboarding')}` }),
    claims: [
      status(200),
      {
        says: 'the status is there, with the id that the backend gave it',
        holds: ({ body }) => body['status'] === 'fail' && body['onboarding_external_id'] === 'application-17',
      },
    ],
  },
];

export const eventSteps: readonly TourStep[] = [
  {
    title: 'The backend was notified of both',
    request: () => ({ method: 'GET', path: '/_kyclone/deliveries' }),
    claims: [
      status(200),
      {
        says: 'two signed deliveries, each taken at the first attempt',
        holds: ({ body }) =>
          listOf(body['data'])
            .map(({ status: came, attempt, response_status }) => [came, attempt, response_status].join(' '))
            .join() === 'delivered 1 200,delivered 1 200',
      },
    ],
  },
  {
    title: 'Back to real time',
    request: () => ({ method: 'PUT', path: '/_kyclone/clock', body: { action: 'resume' } }),
    claims: [status(200)],
  },
];

export const businessSteps: readonly TourStep[] = [
  {
    title: 'Businesses have vaults too',
    request: () => ({ method: 'POST', path: '/businesses', body: ACME }),
    claims: [
      status(200),
      { says: 'the business has an id', holds: ({ body }) => /^fp_bid_\w{22}$/.test(String(body['id'])) },
    ],
    remember: ({ body }, facts) => facts.set('business', String(body['id'])),
  },
  {
    title: 'They are read in the same way',
    request: (facts) => ({
      method: 'POST',
      path: `/businesses/${fact(facts, 'business')}/vault/decrypt`,
      body: { fields: ['business.tin'], reason: 'demo: tax form', transforms: ['suffix(4)'] },
    }),
    claims: [
      status(200),
      {
        says: 'the last four digits of the tax number come back',
        holds: ({ body }) => body['business.tin'] === ACME['business.tin'].slice(-4),
      },
    ],
  },
];
