/** The tour: writing to a vault, reading from it, and finding users by a value. */
import { createHmac } from 'node:crypto';
import { JANE, JOHN } from './people.ts';
import {
  fact,
  has,
  header,
  lists,
  listOf,
  matches,
  names,
  records,
  status,
  withoutText,
  type TourStep,
} from './tour.ts';

const EMAIL = 'jane@example.org';

export const writingSteps: readonly TourStep[] = [
  {
    title: 'Personal data goes into a vault of its own',
    call: 'POST /users',
    body: JANE,
    remember: { user: 'id' },
    claims: [
      matches('the user has an id', 'id', /^fp_id_\w{22}$/),
      header('x-fp-vault-version', '1', 'the vault is at version 1'),
      withoutText('none of the data comes back', [JANE['id.ssn9'], JANE['id.email']]),
    ],
  },
  {
    title: 'Invalid data is refused as a whole, with a reason for each identifier',
    call: 'POST /users',
    body: { 'id.first_name': 'Joe', 'id.dob': '1988-02-30', 'id.ssn9': '12-34', 'id.country': 'Atlantis' },
    answer: status(400, 'T120'),
    claims: [
      names('the context names the three that are wrong', ['id.country', 'id.dob', 'id.ssn9']),
      withoutText('no value is repeated', ['1988-02-30', '12-34', 'Atlantis']),
    ],
  },
  {
    title: 'An update is a new version; the one before stays readable',
    call: 'PATCH /users/{user}/vault',
    body: { 'id.email': EMAIL },
    claims: [header('x-fp-vault-version', '2', 'the vault is at version 2')],
  },
  {
    title: 'Presence can be checked without reading a value',
    call: 'GET /users/{user}/vault?fields=id.ssn9,id.ssn4,id.itin',
    claims: [
      has('the number is there, its last four digits were derived, an ITIN is not there', {
        'id.ssn9': true,
        'id.ssn4': true,
        'id.itin': false,
      }),
    ],
  },
  {
    title: 'People who look at the vault see masks',
    call: 'GET /_kyclone/entities/{user}',
    claims: [
      {
        says: 'the number is masked but for four digits',
        holds: ({ body }) =>
          listOf(body['vault']).find(({ identifier }) => identifier === 'id.ssn9')?.['mask'] === '***1234',
      },
      withoutText('no value is in the answer', [JANE['id.ssn9'], EMAIL, JANE['id.dob']]),
    ],
  },
];

const SIGNING_KEY = '6b79636c6f6e652064656d6f206b6579';
const DECRYPT = 'POST /users/{user}/vault/decrypt';

export const readingSteps: readonly TourStep[] = [
  {
    title: 'A decryption needs a reason',
    call: DECRYPT,
    body: { fields: ['id.ssn9'] },
    answer: status(400, 'reason_required'),
  },
  {
    title: 'With a reason the values come back as they were given',
    call: DECRYPT,
    body: {
      fields: ['id.first_name', 'id.ssn9', 'custom.favourite_colours'],
      reason: 'demo: support case',
    },
    claims: [
      has('text is the same text, a list the same list', {
        'id.first_name': JANE['id.first_name'],
        'id.ssn9': JANE['id.ssn9'],
        'custom.favourite_colours': JANE['custom.favourite_colours'],
      }),
    ],
  },
  {
    title: 'Transforms change what leaves the vault, not what is in it',
    call: DECRYPT,
    body: {
      fields: ['id.dob'],
      reason: 'demo: birthday list',
      transforms: ["date_format('%Y-%m-%d','%A in %B of %y') | to_uppercase"],
    },
    claims: [has('the birthday reads FRIDAY IN DECEMBER OF 88', { 'id.dob': 'FRIDAY IN DECEMBER OF 88' })],
  },
  {
    title: 'Earlier versions can be read by number',
    call: DECRYPT,
    body: { fields: ['id.email', 'id.email:1'], reason: 'demo: what was it before?' },
    claims: [
      has('both addresses come back, each under its name', {
        'id.email': EMAIL,
        'id.email:1': JANE['id.email'],
      }),
    ],
  },
  {
    title: 'Two systems can compare a value without showing it',
    call: 'POST /users/{user}/vault/integrity',
    body: { fields: ['id.ssn9'], signing_key: SIGNING_KEY },
    claims: [
      has('the HMAC-SHA256 is the one computed here from the number and the key', {
        'id.ssn9': createHmac('sha256', Buffer.from(SIGNING_KEY, 'hex'))
          .update(JANE['id.ssn9'])
          .digest('hex'),
      }),
    ],
  },
  {
    title: 'A wrong key opens nothing',
    call: 'GET /users/{user}/vault',
    headers: { authorization: `Basic ${Buffer.from('sk_test_wrong:').toString('base64')}` },
    answer: status(401, 'unauthenticated'),
  },
];

const TAG = 'demo: same number';

export const findingSteps: readonly TourStep[] = [
  {
    title: 'Another person has the same number',
    call: 'POST /users',
    body: JOHN,
    remember: { otherUser: 'id' },
  },
  {
    title: 'Duplicates are found without decrypting anything',
    call: 'GET /users/{user}/duplicates',
    claims: [
      {
        says: 'the two share their ssn9',
        holds: (answer, facts) =>
          records(answer).some(({ fp_id, kind }) => fp_id === fact(facts, 'otherUser') && kind === 'ssn9'),
      },
    ],
  },
  {
    title: 'The other one gets a label',
    call: 'POST /users/{otherUser}/label',
    body: { kind: 'offboard_fraud' },
  },
  {
    title: 'And a tag',
    call: 'POST /users/{otherUser}/tags',
    body: { tag: TAG },
    claims: [matches('the tag has an id', 'id', /^tag_\w{22}$/)],
  },
  {
    title: 'Both are seen beside the duplicate',
    call: 'GET /users/{user}/duplicates?kinds=ssn9',
    claims: [
      {
        says: 'the label and the tag are there',
        holds: (answer) =>
          records(answer).some(({ label, tags }) => label === 'offboard_fraud' && String(tags) === TAG),
      },
    ],
  },
  {
    title: 'Users are found by a value, exactly, and again without decrypting any',
    call: 'POST /users/search',
    body: { search: 'Jane@Example.org' },
    claims: [lists('Jane is found by her e-mail address, and nobody else', 'data', ['id'], ['{user}'])],
  },
];
