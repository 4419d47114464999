/** The tour: onboardings of a user and of a business, their reports and decisions, and one on a hosted page. */
import { HOSTED_CODE } from '../../nouns/hosted/facts.ts';
import { ACME, JANE, ROBIN } from './people.ts';
import type { ThirdParty } from './stage.ts';
import { has, lists, matches, names, records, status, withoutText, type TourStep } from './tour.ts';

const KYC = 'pb_test_kycdefault000000000000';
const KYB = 'pb_test_kybdefault000000000000';
const REVIEWER = 'robin@example.com';

/** Registers a receiver of events, verifies a user and decides otherwise. */
export function userSteps(party: ThirdParty): readonly TourStep[] {
  return [
    {
      title: 'A backend says where it wants to receive events',
      call: 'POST /_kyclone/webhooks',
      body: { url: `${party.httpUrl}/hooks`, kinds: ['onboarding.completed'] },
      claims: [matches('there is a secret, which proves who sends the events', 'secret', /^whsec_/)],
    },
    {
      title: 'A user is verified, and the test chooses the outcome',
      call: 'POST /users/{user}/kyc',
      body: { key: KYC, fixture_result: 'manual_review' },
      claims: [
        has('the user failed, and the run needs a review', { status: 'fail', requires_manual_review: true }),
      ],
    },
    {
      title: 'Why: the risk signals, most severe first',
      call: 'GET /users/{user}/risk_signals',
      claims: [
        {
          says: 'a sanctions list comes first, and the matching birthday after it',
          holds: (answer) => {
            const codes = records(answer).map(({ reason_code }) => reason_code);
            return codes[0] === 'watchlist_hit_ofac' && codes.indexOf('dob_matches') > 0;
          },
        },
        withoutText('no value of the user is in it', [JANE['id.ssn9'], JANE['id.last_name']]),
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
        lists(
          'by hand a pass, by the playbook a fail',
          'data',
          ['kind', 'status'],
          ['manual pass', 'playbook_run fail'],
        ),
      ],
    },
    {
      title: 'A report about a verified customer, for a partner',
      call: 'POST /users/{user}/integrations/partner_a/cip_report',
      body: { default_approver: 'Compliance' },
      claims: [
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
    call: 'POST /_kyclone/outcomes',
    body: { match: { fp_id: '{business}' }, outcome: 'fail', delay_ms: 300_000, times: 1 },
  },
  {
    title: 'A business can be verified only with all the data that its playbook requires',
    call: 'POST /businesses/{business}/kyb',
    body: { key: KYB },
    answer: status(400, 'T121'),
    claims: [
      names('the answer names what is missing', [
        'business.address_line1',
        'business.zip',
        'business.country',
      ]),
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
    claims: [has('it is pending', { status: 'pending' })],
  },
  {
    title: 'Nobody waits: the clock is advanced, and due work runs',
    call: 'PUT /_kyclone/clock',
    body: { action: 'advance', by: '5m' },
    claims: [{ says: 'something was', holds: ({ body }) => Number(body['drained']) > 0 }],
  },
  {
    title: 'The business failed, as planned',
    call: 'GET /onboardings/{onboarding}',
    claims: [
      has('the status is there, with the id that the backend gave it', {
        status: 'fail',
        onboarding_external_id: 'application-17',
      }),
    ],
  },
];

export const eventSteps: readonly TourStep[] = [
  {
    title: 'The backend was notified of both',
    call: 'GET /_kyclone/deliveries',
    claims: [
      lists(
        'two signed deliveries, each taken at the first attempt',
        'data',
        ['status', 'attempt', 'response_status'],
        ['delivered 1 200', 'delivered 1 200'],
      ),
    ],
  },
  { title: 'Back to real time', call: 'PUT /_kyclone/clock', body: { action: 'resume' } },
];

export const businessSteps: readonly TourStep[] = [
  {
    title: 'Businesses have vaults too',
    call: 'POST /businesses',
    body: ACME,
    remember: { business: 'id' },
    claims: [matches('the business has an id', 'id', /^fp_bid_\w{22}$/)],
  },
  {
    title: 'They are read in the same way',
    call: 'POST /businesses/{business}/vault/decrypt',
    body: { fields: ['business.tin'], reason: 'demo: tax form', transforms: ['suffix(4)'] },
    claims: [
      has('the last four digits of the tax number come back', {
        'business.tin': ACME['business.tin'].slice(-4),
      }),
    ],
  },
];

// The tour: an onboarding in which a person uses a hosted page, played by the page's own calls.

/** The token from the end of the link, with which the page makes its calls. */
const token = { variable: 'FLOW_TOKEN', value: '{flowToken}' };
const asks = (step: string, says: string) => has(says, { step });

/** From a link to a token that the backend validates. */
export const flowSteps: readonly TourStep[] = [
  {
    title: 'Some apps let the service ask for data: this playbook needs a name and a birthday',
    call: 'POST /_kyclone/playbooks',
    body: {
      name: 'At the page',
      kind: 'kyc',
      requirements: [['id.first_name'], ['id.last_name'], ['id.dob']],
    },
    remember: { pagePlaybook: 'key' },
  },
  {
    title: 'The backend gets a link to a page of the instance',
    call: 'POST /onboarding/session',
    body: { key: '{pagePlaybook}' },
    remember: { flowToken: 'token' },
    claims: [
      matches('its token comes after the #, so it reaches no log', 'link', /\/hosted\/onboarding#obtok_\w+$/),
    ],
  },
  {
    title: 'The page sends the e-mail address that the person enters',
    call: 'POST /hosted/session/identify',
    body: { data: { 'id.email': ROBIN['id.email'] } },
    token,
    claims: [
      asks('identify', 'the code comes next'),
      withoutText('the address comes back masked', [ROBIN['id.email']]),
    ],
  },
  {
    title: 'The one-time code, the same for everyone',
    call: 'POST /hosted/session/verify',
    body: { code: HOSTED_CODE },
    token,
    claims: [asks('data', 'the page asks for data now')],
  },
  {
    title: 'An invalid entry is refused, with its field named',
    call: 'POST /hosted/session/data',
    body: { screen: 'birth', data: { 'id.dob': '1988-02-31' } },
    token,
    answer: status(400, 'T120'),
    claims: [names('the answer names the field', ['id.dob'])],
  },
  {
    title: 'A screen at a time',
    call: 'POST /hosted/session/data',
    body: { screen: 'birth', data: { 'id.dob': ROBIN['id.dob'] } },
    token,
    claims: [asks('data', 'the name is still missing')],
  },
  {
    title: 'and the other one',
    call: 'POST /hosted/session/data',
    body: {
      screen: 'name',
      data: { 'id.first_name': ROBIN['id.first_name'], 'id.last_name': ROBIN['id.last_name'] },
    },
    token,
    claims: [asks('review', 'all is there: the page shows it, masked')],
  },
  {
    title: 'The person agrees',
    call: 'POST /hosted/session/consent',
    body: { consent: true },
    token,
    claims: [asks('outcome', 'in the sandbox the outcome is chosen last')],
  },
  {
    title: 'and is done',
    call: 'POST /hosted/session/complete',
    body: { fixture_result: 'pass' },
    token,
    remember: { validationToken: 'validation_token' },
    claims: [matches('the page takes a token back to the app', 'validation_token', /^vtok_\w+$/)],
  },
  {
    title: 'The app believes its backend only, which validates the token',
    call: 'POST /onboarding/session/validate',
    body: { validation_token: '{validationToken}' },
    claims: [
      {
        says: 'the person passed',
        holds: ({ body }) => (body['user'] as { status?: unknown } | undefined)?.status === 'pass',
      },
    ],
  },
  {
    title: 'Anyone with the link now sees none of the data',
    call: 'GET /hosted/session',
    token,
    claims: [
      withoutText('no name, no birthday, no address', [
        ROBIN['id.first_name'],
        ROBIN['id.dob'],
        ROBIN['id.email'],
      ]),
    ],
  },
];
