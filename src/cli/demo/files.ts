/** The tour: files of a vault, and client tokens that open parts of it. */
import { crc32, deflateSync } from 'node:zlib';
import {
  fact,
  has,
  header,
  matches,
  names,
  records,
  status,
  withoutText,
  type Facts,
  type TourAnswer,
  type TourStep,
} from './tour.ts';

const PASSPORT_IMAGE = 'document.passport.front.image';

/** The smallest image: one pixel of a colour, as a PNG in base64. */
function onePixel(red: number, green: number, blue: number): string {
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
const token = { variable: 'TOKEN', value: '{formToken}' };

export const clientTokenSteps: readonly TourStep[] = [
  {
    title: 'A form in a browser gets no key, but a token for the fields it needs',
    call: 'POST /users/{user}/client_token',
    body: {
      scope: 'vault_and_decrypt',
      fields: ['id.city', PASSPORT_IMAGE],
      ttl: 600,
      decrypt_reason: 'demo: shown in the form',
    },
    remember: { formToken: 'token' },
    claims: [matches('the answer contains the token, $TOKEN from here on', 'token', /^cttok_\w{34}$/)],
  },
  {
    title: 'The token allows writing the fields that it names',
    call: 'PATCH /users/vault',
    body: { 'id.city': CITY },
    token,
    claims: [header('x-fp-vault-version', '3', 'the vault is at version 3')],
  },
  {
    title: 'And nothing else',
    call: 'PATCH /users/vault',
    body: { 'id.city': 'Springfield', 'id.ssn9': '900129999' },
    token,
    answer: status(403, 'permission_denied'),
    claims: [
      names('the context names the one that was denied', ['id.ssn9']),
      withoutText('no value is repeated', ['Springfield', '900129999']),
    ],
  },
  {
    title: 'Values for the form are decrypted with the reason in the token',
    call: 'POST /users/vault/decrypt',
    body: { fields: ['id.city'] },
    token,
    claims: [has('it is the city that was written; the refused call wrote nothing', { 'id.city': CITY })],
  },
];

const FIRST = { contentType: 'image/png', base64: onePixel(0, 128, 128) };
const SECOND = { contentType: 'image/png', base64: onePixel(142, 69, 133) };
const versionOf = ({ headers }: TourAnswer) => headers['x-fp-vault-version'];

export const fileSteps: readonly TourStep[] = [
  {
    title: 'Files go into the vault as their bytes, from a browser too',
    call: `POST /users/vault/${PASSPORT_IMAGE}/upload`,
    file: FIRST,
    token,
    remember: { firstVersion: versionOf },
  },
  {
    title: 'An image of a document makes a document',
    call: 'GET /users/{user}/documents',
    claims: [fronts('there is a passport, its front the version that was just stored', ['firstVersion'])],
  },
  {
    title: 'A better picture replaces the first',
    call: `POST /users/{user}/vault/${PASSPORT_IMAGE}/upload`,
    file: SECOND,
    remember: { secondVersion: versionOf },
  },
  {
    title: 'Both are listed, newest first',
    call: 'GET /users/{user}/documents',
    claims: [fronts('two passports, each with the version of its image', ['secondVersion', 'firstVersion'])],
  },
  {
    title: 'Each version is decrypted by its number, as base64',
    call: 'POST /users/{user}/vault/decrypt',
    body: {
      fields: [PASSPORT_IMAGE, `${PASSPORT_IMAGE}:{firstVersion}`],
      reason: 'demo: compare the pictures',
    },
    claims: [
      {
        says: 'the second and the first picture, byte by byte',
        holds: ({ body }, facts) =>
          body[PASSPORT_IMAGE] === SECOND.base64 && body[versioned(facts, 'firstVersion')] === FIRST.base64,
      },
    ],
  },
  {
    title: 'A token can allow the download of one datum only',
    call: 'POST /users/{user}/client_token',
    body: { scope: 'decrypt_download', fields: [PASSPORT_IMAGE], decrypt_reason: 'demo: show the picture' },
    remember: { downloadToken: 'token' },
    claims: [matches('the answer contains the token, $DOWNLOAD from here on', 'token', /^cttok_\w{34}$/)],
  },
  {
    title: 'The link alone is enough',
    call: 'GET /users/vault/decrypt/{downloadToken}',
    token: { variable: 'DOWNLOAD', value: '{downloadToken}' },
    claims: [
      {
        says: 'the bytes are those of the second picture, with the type image/png',
        holds: ({ bytes, headers }) =>
          bytes.toString('base64') === SECOND.base64 && headers['content-type'] === SECOND.contentType,
      },
    ],
  },
];

type Version = 'firstVersion' | 'secondVersion';

function versioned(facts: Facts, version: Version): string {
  return `${PASSPORT_IMAGE}:${fact(facts, version)}`;
}

/** Claims that the fronts of the passports are these versions. */
function fronts(says: string, versions: readonly Version[]) {
  const of = (answer: TourAnswer) =>
    records(answer)
      .filter((record) => record['document_type'] === 'passport')
      .map((record) => (record['images'] as { front?: { identifier: string; version: number } }).front)
      .map((front) => (front ? `${front.identifier}:${front.version}` : ''));
  const holds = (answer: TourAnswer, facts: Facts) =>
    of(answer).join() === versions.map((version) => versioned(facts, version)).join();
  return { says, holds };
}
