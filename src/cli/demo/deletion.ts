import { fact, status, type Step } from './tour.ts';

export const deletionSteps: readonly Step[] = [
  {
    title: 'Deleting a user destroys the key of its vault',
    request: (facts) => ({ method: 'DELETE', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(200)],
  },
  {
    title: 'After that there is nobody to ask about',
    request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}` }),
    claims: [status(404, 'not_found')],
  },
  {
    title: 'What was read before stays on record',
    request: () => ({ method: 'GET', path: '/_kyclone/access-log/verify' }),
    claims: [status(200), { says: 'the chain still holds', holds: ({ body }) => body['ok'] === true }],
  },
];
