/** The tour: an onboarding in which a person uses a hosted page, played by the page's own calls. */
import { HOSTED_CODE } from '../../contract/facts/onboardings.ts';
import type { Method } from '../../contract/facts/requests.ts';
import { ROBIN } from './people.ts';
import {
  fact,
  status,
  withoutText,
  type Claim,
  type Facts,
  type TourStep,
  type StepRequest,
} from './tour.ts';
import { defined } from '../../kernel/defined.ts';

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
