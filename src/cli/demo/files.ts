/** The tour: files of a vault, and client tokens that open parts of it. */
import { crc32, deflateSync } from 'node:zlib';
import {
  fact,
  header,
  records,
  status,
  type Facts,
  type TourStep,
  type TourAnswer,
  type StepRequest,
  withoutText,
  type Variable,
} from './tour.ts';

export const PASSPORT_IMAGE = 'document.passport.front.image';

/** The smallest image: one pixel of a colour, as a PNG in base64. */
export function onePixel(red: number, green: number, blue: number): string {
  const size = Buffer.from([0, 0, 0, 1]);
  const eightBitsOfRgb = Buffer.from([8, 2, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, ...Buffer.from('PNG\r\n\x1a\n', 'latin1')]),
    chunk('IHDR', Buffer.concat([size, size, eightBitsOfRgb])),
    chunk('IDAT', deflateSync(Buffer.from([0, red, green, blue]))),
    chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}

function chunk(type: string, content: Buffer): Buffer {
  const checked = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  checksum.writeUInt32BE(crc32(checked));
  return Buffer.concat([length, checked, checksum]);
}

const CITY = 'Cambridge';

/** The token that the first of these steps creates. */
export function formToken(facts: Facts): Variable {
  return { variable: 'TOKEN', value: fact(facts, 'form token') };
}

export const clientTokenSteps: readonly TourStep[] = [
  {
    title: 'A form in a browser gets no key, but a token for the fields it needs',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/client_token`,
      body: {
        scope: 'vault_and_decrypt',
        fields: ['id.city', PASSPORT_IMAGE],
        ttl: 600,
        decrypt_reason: 'demo: shown in the form',
      },
    }),
    remember: ({ body }, facts) => facts.set('form token', String(body['token'])),
    claims: [
      status(200),
      {
        says: 'the answer contains the token, $TOKEN from here on',
        holds: ({ body }) => /^cttok_\w{34}$/.test(String(body['token'])),
      },
    ],
  },
  {
    title: 'The token allows writing the fields that it names',
    request: (facts) => ({
      method: 'PATCH',
      path: '/users/vault',
      body: { 'id.city': CITY },
      token: formToken(facts),
    }),
    claims: [status(200), header('x-fp-vault-version', '3', 'the vault is at version 3')],
  },
  {
    title: 'And nothing else',
    request: (facts) => ({
      method: 'PATCH',
      path: '/users/vault',
      body: { 'id.city': 'Springfield', 'id.ssn9': '900129999' },
      token: formToken(facts),
    }),
    claims: [
      status(403, 'permission_denied'),
      {
        says: 'the context names the one that was denied',
        holds: ({ body }) => Object.keys(body['context'] ?? {}).join() === 'id.ssn9',
      },
      withoutText('no value is repeated', ['Springfield', '900129999']),
    ],
  },
  {
    title: 'Values for the form are decrypted with the reason in the token',
    request: (facts) => ({
      method: 'POST',
      path: '/users/vault/decrypt',
      body: { fields: ['id.city'] },
      token: formToken(facts),
    }),
    claims: [
      status(200),
      {
        says: 'it is the city that was written; the refused call wrote nothing',
        holds: ({ body }) => body['id.city'] === CITY,
      },
    ],
  },
];

const FIRST = { contentType: 'image/png', base64: onePixel(0, 128, 128) };
const SECOND = { contentType: 'image/png', base64: onePixel(142, 69, 133) };

export const fileSteps: readonly TourStep[] = [
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
    title: 'A better picture replaces the first',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/vault/${PASSPORT_IMAGE}/upload`,
      file: SECOND,
    }),
    claims: [status(200)],
    remember: ({ headers }, facts) => facts.set('second version', String(headers['x-fp-vault-version'])),
  },
  {
    title: 'Both are listed, newest first',
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
    title: 'A token can allow the download of one datum only',
    request: (facts) => ({
      method: 'POST',
      path: `/users/${fact(facts, 'user')}/client_token`,
      body: { scope: 'decrypt_download', fields: [PASSPORT_IMAGE], decrypt_reason: 'demo: show the picture' },
    }),
    claims: [
      status(200),
      {
        says: 'the answer contains the token, $DOWNLOAD from here on',
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
        says: 'the bytes are those of the second picture, with the type image/png',
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
function fronts(answer: TourAnswer): string[] {
  return records(answer)
    .filter((record) => record['document_type'] === 'passport')
    .map((record) => (record['images'] as { front?: { identifier: string; version: number } }).front)
    .map((front) => (front ? `${front.identifier}:${front.version}` : ''));
}
