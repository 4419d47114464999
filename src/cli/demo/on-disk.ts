import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JANE } from './people.ts';
import { fact, status, type Step } from './tour.ts';

/** The last part of the tour, on an instance that keeps its data on disk: what its files hold. */
export function diskSteps(dataDirectory: string): readonly Step[] {
  const stored = () =>
    readdirSync(dataDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)));

  return [
    {
      title: 'An instance on disk stores the same data, sealed',
      request: () => ({ method: 'POST', path: '/users', body: JANE }),
      remember: ({ body }, facts) => facts.set('user', String(body['id'])),
      claims: [
        status(200),
        {
          says: 'the id of the new user is in the files, so it is these that hold the data',
          holds: ({ body }) => stored().some((file) => file.includes(String(body['id']))),
        },
        {
          says: 'none of the values is in any of them',
          holds: () => stored().every((file) => texts(JANE).every((text) => !file.includes(text))),
        },
      ],
    },
    {
      title: 'Through the API, with a reason, they are what they were',
      request: (facts) => ({
        method: 'POST',
        path: `/users/${fact(facts, 'user')}/vault/decrypt`,
        body: { fields: ['id.ssn9', 'id.email'], reason: 'demo: is it all there?' },
      }),
      claims: [
        status(200),
        {
          says: 'the number and the address come back',
          holds: ({ body }) => body['id.ssn9'] === JANE['id.ssn9'] && body['id.email'] === JANE['id.email'],
        },
      ],
    },
  ];
}

/** Values long enough not to be in a file by chance. */
function texts(person: Readonly<Record<string, unknown>>): string[] {
  return Object.values(person).filter(
    (value): value is string => typeof value === 'string' && value.length > 5,
  );
}
