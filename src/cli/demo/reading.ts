import { createHmac } from 'node:crypto';
import { fact, status, type Step, type Facts, type StepRequest } from './tour.ts';
import { JANE } from './people.ts';

const SIGNING_KEY = '6b79636c6f6e652064656d6f206b6579';

export const readingSteps: readonly Step[] = [
  {
    title: 'Nobody decrypts without saying why',
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
