import { fact, status, withoutText, type Step } from './tour.ts';
import { JANE } from './people.ts';

export const writingSteps: readonly Step[] = [
  {
    title: 'Personal data goes into a vault of its own',
    request: () => ({ method: 'POST', path: '/users', body: JANE }),
    claims: [
      status(200),
      { says: 'the user has an id', holds: ({ body }) => /^fp_id_\w{22}$/.test(String(body['id'])) },
      {
        says: 'the vault is at version 1',
        holds: ({ headers }) => headers['x-fp-vault-version'] === '1',
      },
      withoutText('none of the data comes back', [JANE['id.ssn9'], JANE['id.email']]),
    ],
    remember: ({ body }, facts) => facts.set('user', String(body['id'])),
  },
  {
    title: 'Data that is wrong is refused whole, with a reason for each identifier',
    request: () => ({
      method: 'POST',
      path: '/users',
      body: { 'id.first_name': 'Joe', 'id.dob': '1988-02-30', 'id.ssn9': '12-34', 'id.country': 'Atlantis' },
    }),
    claims: [
      status(400, 'T120'),
      {
        says: 'the context names the three that are wrong',
        holds: ({ body }) => namesExactly(body['context'], ['id.country', 'id.dob', 'id.ssn9']),
      },
      withoutText('no value is repeated', ['1988-02-30', '12-34', 'Atlantis']),
    ],
  },
  {
    title: 'An update is a new version; the one before stays readable',
    request: (facts) => ({
      method: 'PATCH',
      path: `/users/${fact(facts, 'user')}/vault`,
      body: { 'id.email': 'jane@example.org' },
    }),
    claims: [
      status(200),
      {
        says: 'the vault is at version 2',
        holds: ({ headers }) => headers['x-fp-vault-version'] === '2',
      },
    ],
  },
  {
    title: 'What is there can be asked without reading it',
    request: (facts) => ({
      method: 'GET',
      path: `/users/${fact(facts, 'user')}/vault?fields=id.ssn9,id.ssn4,id.itin`,
    }),
    claims: [
      status(200),
      {
        says: 'the number is there, its last four digits were derived, an ITIN is not there',
        holds: ({ body }) =>
          body['id.ssn9'] === true && body['id.ssn4'] === true && body['id.itin'] === false,
      },
    ],
  },
  {
    title: 'People who look at the vault see masks',
    request: (facts) => ({ method: 'GET', path: `/_kyclone/entities/${fact(facts, 'user')}` }),
    claims: [
      status(200),
      {
        says: 'the number is masked but for four digits',
        holds: ({ body }) => maskOf(body['vault'], 'id.ssn9') === '***1234',
      },
      withoutText('no value is in the answer', [JANE['id.ssn9'], 'jane@example.org', JANE['id.dob']]),
    ],
  },
];

function namesExactly(context: unknown, names: readonly string[]): boolean {
  return (
    Object.keys(context ?? {})
      .sort()
      .join() === names.join()
  );
}

function maskOf(vault: unknown, identifier: string): string | undefined {
  const data = (Array.isArray(vault) ? vault : []) as { identifier: string; mask: string }[];
  return data.find((datum) => datum.identifier === identifier)?.mask;
}
