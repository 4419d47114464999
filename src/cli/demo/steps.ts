/** All steps of the tour in order, including those about the access log, faults, snapshots and deletion. */
import { bankSteps } from './banks.ts';
import { flowSteps } from './flow.ts';
import { businessSteps, onboardingSteps } from './onboarding.ts';
import { clientTokenSteps, fileSteps } from './files.ts';
import { findingSteps, readingSteps, writingSteps } from './vault.ts';
import { proxySteps } from './proxy.ts';
import type { ThirdParty } from './stage.ts';
import { type TourStep, fact, status } from './tour.ts';

interface Entry {
  readonly operation: string;
  readonly outcome: string;
  readonly reason: string | null;
}

export const auditSteps: readonly TourStep[] = [
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

export const faultSteps: readonly TourStep[] = [
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
      {
        says: 'the client learns when to try again',
        holds: ({ headers }) => headers['retry-after'] === '1',
      },
    ],
  },
  {
    title: 'and the one after it does not',
    request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(200)],
  },
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

/** The tour, in order. A new part of the service adds its steps here; deletion stays last. */
export function tourSteps(party: ThirdParty): readonly TourStep[] {
  return [
    ...writingSteps,
    ...readingSteps,
    ...businessSteps,
    ...clientTokenSteps,
    ...fileSteps,
    ...findingSteps,
    ...proxySteps(party),
    ...flowSteps,
    ...auditSteps,
    ...onboardingSteps(party),
    ...bankSteps,
    ...faultSteps,
    ...deletionSteps,
  ];
}

export const deletionSteps: readonly TourStep[] = [
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
