import { formToken } from './client-tokens.ts';
import { onePixel, PASSPORT_IMAGE } from './images.ts';
import { fact, records, status, type Facts, type Step, type StepAnswer, type StepRequest } from './tour.ts';

const FIRST = { contentType: 'image/png', base64: onePixel(0, 128, 128) };
const SECOND = { contentType: 'image/png', base64: onePixel(142, 69, 133) };

export const fileSteps: readonly Step[] = [
  {
    title: 'Files go into the vault as their bytes, from a browser too',
    request: (facts) => ({
      method: 'POST',
      path: `/users/vault/${PASSPORT_IMAGE}/upload`,
      file: FIRST,
      token: formToken(facts),
    }),
    claims: [status(200)],
    remember: ({ headers }, facts) => facts.set('first version', String(headers['x-fp-vault-version'])),
  },
  {
    title: 'An image of a document makes a document',
    request: documents,
    claims: [
      status(200),
      {
        says: 'there is a passport, its front the version that was just stored',
        holds: (answer, facts) => fronts(answer).join() === versioned(facts, 'first version'),
      },
    ],
  },
  {
    title: 'A better picture takes the place of the first',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/vault/${PASSPORT_IMAGE}/upload`,
      file: SECOND,
    }),
    claims: [status(200)],
    remember: ({ headers }, facts) => facts.set('second version', String(headers['x-fp-vault-version'])),
  },
  {
    title: 'Both are there, newest first',
    request: documents,
    claims: [
      status(200),
      {
        says: 'two passports, each with the version of its image',
        holds: (answer, facts) =>
          fronts(answer).join() ===
          [versioned(facts, 'second version'), versioned(facts, 'first version')].join(),
      },
    ],
  },
  {
    title: 'Each version is decrypted by its number, as base64',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/vault/decrypt`,
      body: {
        fields: [PASSPORT_IMAGE, versioned(facts, 'first version')],
        reason: 'demo: compare the pictures',
      },
    }),
    claims: [
      status(200),
      {
        says: 'the second and the first picture, byte by byte',
        holds: ({ body }, facts) =>
          body[PASSPORT_IMAGE] === SECOND.base64 && body[versioned(facts, 'first version')] === FIRST.base64,
      },
    ],
  },
  {
    title: 'To hand out one file there are tokens that download one datum',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/client_token`,
      body: { scope: 'decrypt_download', fields: [PASSPORT_IMAGE], decrypt_reason: 'demo: show the picture' },
    }),
    claims: [
      status(200),
      {
        says: 'the answer holds the token, $DOWNLOAD from here on',
        holds: ({ body }) => /^cttok_\w{34}$/.test(String(body['token'])),
      },
    ],
    remember: ({ body }, facts) => facts.set('download token', String(body['token'])),
  },
  {
    title: 'The link alone is enough',
    request: (facts) => {
      const value = fact(facts, 'download token');
      return { method: 'GET', path: `/users/vault/decrypt/${value}`, token: { variable: 'DOWNLOAD', value } };
    },
    claims: [
      status(200),
      {
        says: 'the bytes are those of the second picture, and said to be an image/png',
        holds: ({ bytes, headers }) =>
          bytes.toString('base64') === SECOND.base64 && headers['content-type'] === SECOND.contentType,
      },
    ],
  },
];

function documents(facts: Facts): StepRequest {
  return { method: 'GET', path: `/users/${fact(facts, 'user')}/documents` };
}

function versioned(facts: Facts, version: 'first version' | 'second version'): string {
  return `${PASSPORT_IMAGE}:${fact(facts, version)}`;
}

/** The front of each passport, as `identifier:version`. */
function fronts(answer: StepAnswer): string[] {
  return records(answer)
    .filter((record) => record['document_type'] === 'passport')
    .map((record) => (record['images'] as { front?: { identifier: string; version: number } }).front)
    .map((front) => (front ? `${front.identifier}:${front.version}` : ''));
}
