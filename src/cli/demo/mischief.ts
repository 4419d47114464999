/** What a test wants beside the API: failures on command, and a state to come back to. */
import { fact, status, type Step } from './tour.ts';

const SNAPSHOT = '/_kyclone/snapshots/before-the-end';

export const mischiefSteps: readonly Step[] = [
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
        says: 'the client is told when to try again',
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
    title: 'The user is back, and so is what the vault holds',
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
