import { JOHN } from './people.ts';
import { fact, records, status, type Step } from './tour.ts';

const TAG = 'demo: same number';

export const findingSteps: readonly Step[] = [
  {
    title: 'Somebody else turns up with the same number',
    request: () => ({ method: 'POST', path: '/users', body: JOHN }),
    claims: [status(200)],
    remember: ({ body }, facts) => facts.set('other user', String(body['id'])),
  },
  {
    title: 'Nothing has to be decrypted to see that',
    request: (facts) => ({ method: 'GET', path: `/users/${fact(facts, 'user')}/duplicates` }),
    claims: [
      status(200),
      {
        says: 'the two share their ssn9',
        holds: (answer, facts) =>
          records(answer).some(({ fp_id, kind }) => fp_id === fact(facts, 'other user') && kind === 'ssn9'),
      },
    ],
  },
  {
    title: 'The other one gets a label',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'other user')}/label`,
      body: { kind: 'offboard_fraud' },
    }),
    claims: [status(200)],
  },
  {
    title: 'And a tag',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'other user')}/tags`,
      body: { tag: TAG },
    }),
    claims: [
      status(200),
      { says: 'the tag has an id', holds: ({ body }) => /^tag_\w{22}$/.test(String(body['id'])) },
    ],
  },
  {
    title: 'Both are seen beside the duplicate',
    request: (facts) => ({
      method: 'GET',
      path: `/users/${fact(facts, 'user')}/duplicates?kinds=ssn9`,
    }),
    claims: [
      status(200),
      {
        says: 'the label and the tag are there',
        holds: (answer) =>
          records(answer).some(
            ({ label, tags }) => label === 'offboard_fraud' && (tags as string[]).join() === TAG,
          ),
      },
    ],
  },
  {
    title: 'Users are found by a value, exactly, and again without decrypting any',
    request: () => ({ method: 'POST', path: '/users/search', body: { search: 'Jane@Example.org' } }),
    claims: [
      status(200),
      {
        says: 'Jane is found by her e-mail address, and nobody else',
        holds: ({ body }, facts) => {
          const found = (Array.isArray(body['data']) ? body['data'] : []) as { id: string }[];
          return found.map(({ id }) => id).join() === fact(facts, 'user');
        },
      },
    ],
  },
];
