/** The tour: onboardings of a user and of a business, their reports and decisions, and one on a hosted page. */
import type { ThirdParty } from './stage.ts';
import {
  fact,
  listOf,
  status,
  withoutText,
  type TourStep,
  type Claim,
  type Facts,
  type StepRequest,
} from './tour.ts';
import { JANE, ACME, ROBIN } from './people.ts';
import { HOSTED_CODE } from '../../nouns/hosted/facts.ts';
import type { Method } from '../../nouns/requests/facts.ts';
import { defined } from '../../kernel/defined.ts';

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

// The tour: an onboarding in which a person uses a hosted page, played by the page's own calls.

/** A call of the page, with the token from the end of the link. */
function ofPage(facts: Facts, method: Method, step: string, body?: StepRequest['body']): StepRequest {
  return {
    method,
    path: `/hosted/session${step}`,
    ...defined({ body }),
    token: { variable: 'FLOW_TOKEN', value: fact(facts, 'flowToken') },
  };
}

const asks = (step: string, says: string): Claim => ({ says, holds: ({ body }) => body['step'] === step });

/** From a link to a token that the backend validates. */
export const flowSteps: readonly TourStep[] = [
  {
    title: 'Some apps let the service ask for data: this playbook needs a name and a birthday',
    request: () => ({
      method: 'POST',
      path: '/_kyclone/playbooks',
      body: {
        name: 'At the page',
        kind: 'kyc',
        requirements: [['id.first_name'], ['id.last_name'], ['id.dob']],
      },
    }),
    claims: [status(200)],
    remember: ({ body }, facts) => facts.set('pagePlaybook', String(body['key'])),
  },
  {
    title: 'The backend gets a link to a page of the instance',
    request: (facts) => ({
      method: 'POST',
      path: '/onboarding/session',
      body: { key: fact(facts, 'pagePlaybook') },
    }),
    claims: [
      status(200),
      {
        says: 'its token comes after the #, so it reaches no log',
        holds: ({ body }) => /\/hosted\/onboarding#obtok_\w+$/.test(String(body['link'])),
      },
    ],
    remember: ({ body }, facts) => facts.set('flowToken', String(body['token'])),
  },
  {
    title: 'The page sends the e-mail address that the person enters',
    request: (facts) => ofPage(facts, 'POST', '/identify', { data: { 'id.email': ROBIN['id.email'] } }),
    claims: [
      status(200),
      asks('identify', 'the code comes next'),
      withoutText('the address comes back masked', [ROBIN['id.email']]),
    ],
  },
  {
    title: 'The one-time code, the same for everyone',
    request: (facts) => ofPage(facts, 'POST', '/verify', { code: HOSTED_CODE }),
    claims: [status(200), asks('data', 'the page asks for data now')],
  },
  {
    title: 'An invalid entry is refused, with its field named',
    request: (facts) => ofPage(facts, 'POST', '/data', { screen: 'birth', data: { 'id.dob': '1988-02-31' } }),
    claims: [
      status(400, 'T120'),
      {
        says: 'the answer names the field',
        holds: ({ body }) => Object.keys((body['context'] as object | undefined) ?? {}).join() === 'id.dob',
      },
    ],
  },
  {
    title: 'A screen at a time',
    request: (facts) =>
      ofPage(facts, 'POST', '/data', { screen: 'birth', data: { 'id.dob': ROBIN['id.dob'] } }),
    claims: [status(200), asks('data', 'the name is still missing')],
  },
  {
    title: 'and the other one',
    request: (facts) =>
      ofPage(facts, 'POST', '/data', {
        screen: 'name',
        data: { 'id.first_name': ROBIN['id.first_name'], 'id.last_name': ROBIN['id.last_name'] },
      }),
    claims: [status(200), asks('review', 'all is there: the page shows it, masked')],
  },
  {
    title: 'The person agrees',
    request: (facts) => ofPage(facts, 'POST', '/consent', { consent: true }),
    claims: [status(200), asks('outcome', 'in the sandbox the outcome is chosen last')],
  },
  {
    title: 'and is done',
    request: (facts) => ofPage(facts, 'POST', '/complete', { fixture_result: 'pass' }),
    claims: [
      status(200),
      {
        says: 'the page takes a token back to the app',
        holds: ({ body }) => /^vtok_\w+$/.test(String(body['validation_token'])),
      },
    ],
    remember: ({ body }, facts) => facts.set('validationToken', String(body['validation_token'])),
  },
  {
    title: 'The app believes its backend only, which validates the token',
    request: (facts) => ({
      method: 'POST',
      path: '/onboarding/session/validate',
      body: { validation_token: fact(facts, 'validationToken') },
    }),
    claims: [
      status(200),
      {
        says: 'the person passed',
        holds: ({ body }) => (body['user'] as { status?: unknown } | undefined)?.status === 'pass',
      },
    ],
  },
  {
    title: 'Anyone with the link now sees none of the data',
    request: (facts) => ofPage(facts, 'GET', ''),
    claims: [
      status(200),
      withoutText('no name, no birthday, no address', [
        ROBIN['id.first_name'],
        ROBIN['id.dob'],
        ROBIN['id.email'],
      ]),
    ],
  },
];
