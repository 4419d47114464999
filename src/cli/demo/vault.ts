/** The tour: writing to a vault, reading from it, and finding users by a value. */
import { createHmac } from 'node:crypto';
import {
  fact,
  header,
  status,
  withoutText,
  type TourStep,
  type Facts,
  type StepRequest,
  records,
} from './tour.ts';
import { JANE, JOHN } from './people.ts';

export const writingSteps: readonly TourStep[] = [
  {
    title: 'Personal data goes into a vault of its own',
    request: () => ({ method: 'POST', path: '/users', body: JANE }),
    claims: [
      status(200),
      { says: 'the user has an id', holds: ({ body }) => /^fp_id_\w{22}$/.test(String(body['id'])) },
      header('x-fp-vault-version', '1', 'the vault is at version 1'),
      withoutText('none of the data comes back', [JANE['id.ssn9'], JANE['id.email']]),
    ],
    remember: ({ body }, facts) => facts.set('user', String(body['id'])),
  },
  {
    title: 'Invalid data is refused as a whole, with a reason for each identifier',
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
    claims: [status(200), header('x-fp-vault-version', '2', 'the vault is at version 2')],
  },
  {
    title: 'Presence can be checked without reading a value',
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

const SIGNING_KEY = '6b79636c6f6e652064656d6f206b6579';

export const readingSteps: readonly TourStep[] = [
  {
    title: 'A decryption needs a reason',
    request: (facts) => decrypt(facts, { fields: ['id.ssn9'] }),
    claims: [status(400, 'reason_required')],
  },
  {
    title: 'With a reason the values come back as they were given',
    request: (facts) =>
      decrypt(facts, {
        fields: ['id.first_name', 'id.ssn9', 'custom.favourite_colours'],
        reason: 'demo: support case',
      }),
    claims: [
      status(200),
      {
        says: 'text is the same text, a list the same list',
        holds: ({ body }) =>
          body['id.first_name'] === JANE['id.first_name'] &&
          body['id.ssn9'] === JANE['id.ssn9'] &&
          JSON.stringify(body['custom.favourite_colours']) ===
            JSON.stringify(JANE['custom.favourite_colours']),
      },
    ],
  },
  {
    title: 'Transforms change what leaves the vault, not what is in it',
    request: (facts) =>
      decrypt(facts, {
        fields: ['id.dob'],
        reason: 'demo: birthday list',
        transforms: ["date_format('%Y-%m-%d','%A in %B of %y') | to_uppercase"],
      }),
    claims: [
      status(200),
      {
        says: 'the birthday reads FRIDAY IN DECEMBER OF 88',
        holds: ({ body }) => body['id.dob'] === 'FRIDAY IN DECEMBER OF 88',
      },
    ],
  },
  {
    title: 'Earlier versions can be read by number',
    request: (facts) =>
      decrypt(facts, { fields: ['id.email', 'id.email:1'], reason: 'demo: what was it before?' }),
    claims: [
      status(200),
      {
        says: 'both addresses come back, each under its name',
        holds: ({ body }) =>
          body['id.email'] === 'jane@example.org' && body['id.email:1'] === JANE['id.email'],
      },
    ],
  },
  {
    title: 'Two systems can compare a value without showing it',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/vault/integrity`,
      body: { fields: ['id.ssn9'], signing_key: SIGNING_KEY },
    }),
    claims: [
      status(200),
      {
        says: 'the HMAC-SHA256 is the one computed here from the number and the key',
        holds: ({ body }) =>
          body['id.ssn9'] ===
          createHmac('sha256', Buffer.from(SIGNING_KEY, 'hex')).update(JANE['id.ssn9']).digest('hex'),
      },
    ],
  },
  {
    title: 'A wrong key opens nothing',
    request: (facts) => ({
      method: 'GET',
      path: `/users/${fact(facts, 'user')}/vault`,
      headers: { authorization: `Basic ${Buffer.from('sk_test_wrong:').toString('base64')}` },
    }),
    claims: [status(401, 'unauthenticated')],
  },
];

function decrypt(facts: Facts, body: Record<string, unknown>): StepRequest {
  return { method: 'POST', path: `/users/${fact(facts, 'user')}/vault/decrypt`, body };
}

const TAG = 'demo: same number';

export const findingSteps: readonly TourStep[] = [
  {
    title: 'Another person has the same number',
    request: () => ({ method: 'POST', path: '/users', body: JOHN }),
    claims: [status(200)],
    remember: ({ body }, facts) => facts.set('other user', String(body['id'])),
  },
  {
    title: 'Duplicates are found without decrypting anything',
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
