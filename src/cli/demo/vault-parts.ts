/** The tour: writing to vaults, reading from them, client tokens, files, and finding users by a value. */
import { createHmac } from 'node:crypto';
import { ACME, JANE, JOHN } from './people.ts';
import type { TourPart } from './tour.ts';

const EMAIL = 'jane@example.org';
const SIGNING_KEY = '6b79636c6f6e652064656d6f206b6579';
const DECRYPT = 'POST /users/{user}/vault/decrypt';
const TAG = 'demo: same number';
const CITY = 'Cambridge';
/** The token that the first step about client tokens creates. */
const token = { variable: 'TOKEN', value: '{formToken}' };
const PASSPORT_IMAGE = 'document.passport.front.image';
const FRONTS = { of: '', columns: ['document_type', 'images.front.identifier', 'images.front.version'] };
const PNG = 'image/png';
/** The smallest images: one pixel of a colour. */
const TEAL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgaGgAAAGEAQFWjyAjAAAAAElFTkSuQmCC';
const PLUM = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPoc20FAAK9AVn0mbkqAAAAAElFTkSuQmCC';

export const vaultParts: readonly TourPart[] = [
  {
    promise: 'A vault accepts valid personal data only, and people see masks',
    steps: [
      {
        title: 'Personal data goes into a vault of its own',
        call: 'POST /users',
        body: JANE,
        remember: { user: 'id' },
        claims: [
          { says: 'the user has an id', form: { id: /^fp_id_\w{22}$/ } },
          { says: 'the vault is at version 1', header: { 'x-fp-vault-version': '1' } },
          { says: 'none of the data comes back', without: [JANE['id.ssn9'], JANE['id.email']] },
        ],
      },
      {
        title: 'Invalid data is refused as a whole, with a reason for each identifier',
        call: 'POST /users',
        body: {
          'id.first_name': 'Joe',
          'id.dob': '1988-02-30',
          'id.ssn9': '12-34',
          'id.country': 'Atlantis',
        },
        answer: '400 T120',
        claims: [
          {
            says: 'the context names the three that are wrong',
            context: ['id.country', 'id.dob', 'id.ssn9'],
          },
          { says: 'no value is repeated', without: ['1988-02-30', '12-34', 'Atlantis'] },
        ],
      },
      {
        title: 'An update is a new version; the one before stays readable',
        call: 'PATCH /users/{user}/vault',
        body: { 'id.email': EMAIL },
        claims: [{ says: 'the vault is at version 2', header: { 'x-fp-vault-version': '2' } }],
      },
      {
        title: 'Presence can be checked without reading a value',
        call: 'GET /users/{user}/vault?fields=id.ssn9,id.ssn4,id.itin',
        claims: [
          {
            says: 'the number is there, its last four digits were derived, an ITIN is not there',
            is: { 'id.ssn9': true, 'id.ssn4': true, 'id.itin': false },
          },
        ],
      },
      {
        title: 'People who look at the vault see masks',
        call: 'GET /_kyclone/entities/{user}',
        claims: [
          {
            says: 'the number is masked but for four digits',
            some: { of: 'vault', have: [{ identifier: 'id.ssn9', mask: '***1234' }] },
          },
          { says: 'no value is in the answer', without: [JANE['id.ssn9'], EMAIL, JANE['id.dob']] },
        ],
      },
    ],
  },
  {
    promise: 'Decrypting a value takes the API key and a reason',
    steps: [
      {
        title: 'A decryption needs a reason',
        call: DECRYPT,
        body: { fields: ['id.ssn9'] },
        answer: '400 reason_required',
      },
      {
        title: 'With a reason the values come back as they were given',
        call: DECRYPT,
        body: {
          fields: ['id.first_name', 'id.ssn9', 'custom.favourite_colours'],
          reason: 'demo: support case',
        },
        claims: [
          {
            says: 'text is the same text, a list the same list',
            is: {
              'id.first_name': JANE['id.first_name'],
              'id.ssn9': JANE['id.ssn9'],
              'custom.favourite_colours': JANE['custom.favourite_colours'],
            },
          },
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
        claims: [
          {
            says: 'the birthday reads FRIDAY IN DECEMBER OF 88',
            is: { 'id.dob': 'FRIDAY IN DECEMBER OF 88' },
          },
        ],
      },
      {
        title: 'Earlier versions can be read by number',
        call: DECRYPT,
        body: { fields: ['id.email', 'id.email:1'], reason: 'demo: what was it before?' },
        claims: [
          {
            says: 'both addresses come back, each under its name',
            is: { 'id.email': EMAIL, 'id.email:1': JANE['id.email'] },
          },
        ],
      },
      {
        title: 'Two systems can compare a value without showing it',
        call: 'POST /users/{user}/vault/integrity',
        body: { fields: ['id.ssn9'], signing_key: SIGNING_KEY },
        claims: [
          {
            says: 'the HMAC-SHA256 is the one computed here from the number and the key',
            is: {
              'id.ssn9': createHmac('sha256', Buffer.from(SIGNING_KEY, 'hex'))
                .update(JANE['id.ssn9'])
                .digest('hex'),
            },
          },
        ],
      },
      {
        title: 'A wrong key opens nothing',
        call: 'GET /users/{user}/vault',
        headers: { authorization: `Basic ${Buffer.from('sk_test_wrong:').toString('base64')}` },
        answer: '401 unauthenticated',
      },
    ],
  },
  {
    promise: 'A business has a vault too',
    steps: [
      {
        title: 'Businesses have vaults too',
        call: 'POST /businesses',
        body: ACME,
        remember: { business: 'id' },
        claims: [{ says: 'the business has an id', form: { id: /^fp_bid_\w{22}$/ } }],
      },
      {
        title: 'They are read in the same way',
        call: 'POST /businesses/{business}/vault/decrypt',
        body: { fields: ['business.tin'], reason: 'demo: tax form', transforms: ['suffix(4)'] },
        claims: [
          {
            says: 'the last four digits of the tax number come back',
            is: { 'business.tin': ACME['business.tin'].slice(-4) },
          },
        ],
      },
    ],
  },
  {
    promise: 'A browser gets a token for the fields it needs, and no key',
    steps: [
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
        claims: [
          { says: 'the answer contains the token, $TOKEN from here on', form: { token: /^cttok_\w{34}$/ } },
        ],
      },
      {
        title: 'The token allows writing the fields that it names',
        call: 'PATCH /users/vault',
        body: { 'id.city': CITY },
        token,
        claims: [{ says: 'the vault is at version 3', header: { 'x-fp-vault-version': '3' } }],
      },
      {
        title: 'And nothing else',
        call: 'PATCH /users/vault',
        body: { 'id.city': 'Springfield', 'id.ssn9': '900129999' },
        token,
        answer: '403 permission_denied',
        claims: [
          { says: 'the context names the one that was denied', context: ['id.ssn9'] },
          { says: 'no value is repeated', without: ['Springfield', '900129999'] },
        ],
      },
      {
        title: 'Values for the form are decrypted with the reason in the token',
        call: 'POST /users/vault/decrypt',
        body: { fields: ['id.city'] },
        token,
        claims: [
          {
            says: 'it is the city that was written; the refused call wrote nothing',
            is: { 'id.city': CITY },
          },
        ],
      },
    ],
  },
  {
    promise: 'Files have versions and come back byte by byte',
    steps: [
      {
        title: 'Files go into the vault as their bytes, from a browser too',
        call: `POST /users/vault/${PASSPORT_IMAGE}/upload`,
        file: { contentType: PNG, base64: TEAL },
        token,
        remember: { firstVersion: 'headers.x-fp-vault-version' },
      },
      {
        title: 'An image of a document makes a document',
        call: 'GET /users/{user}/documents',
        claims: [
          {
            says: 'there is a passport, its front the version that was just stored',
            rows: { ...FRONTS, are: [`passport ${PASSPORT_IMAGE} {firstVersion}`] },
          },
        ],
      },
      {
        title: 'A better picture replaces the first',
        call: `POST /users/{user}/vault/${PASSPORT_IMAGE}/upload`,
        file: { contentType: PNG, base64: PLUM },
        remember: { secondVersion: 'headers.x-fp-vault-version' },
      },
      {
        title: 'Both are listed, newest first',
        call: 'GET /users/{user}/documents',
        claims: [
          {
            says: 'two passports, each with the version of its image',
            rows: {
              ...FRONTS,
              are: [
                `passport ${PASSPORT_IMAGE} {secondVersion}`,
                `passport ${PASSPORT_IMAGE} {firstVersion}`,
              ],
            },
          },
        ],
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
            is: { [PASSPORT_IMAGE]: PLUM, [`${PASSPORT_IMAGE}:{firstVersion}`]: TEAL },
          },
        ],
      },
      {
        title: 'A token can allow the download of one datum only',
        call: 'POST /users/{user}/client_token',
        body: {
          scope: 'decrypt_download',
          fields: [PASSPORT_IMAGE],
          decrypt_reason: 'demo: show the picture',
        },
        remember: { downloadToken: 'token' },
        claims: [
          {
            says: 'the answer contains the token, $DOWNLOAD from here on',
            form: { token: /^cttok_\w{34}$/ },
          },
        ],
      },
      {
        title: 'The link alone is enough',
        call: 'GET /users/vault/decrypt/{downloadToken}',
        token: { variable: 'DOWNLOAD', value: '{downloadToken}' },
        claims: [
          {
            says: 'the bytes are those of the second picture, with the type image/png',
            header: { 'content-type': PNG },
            bytes: PLUM,
          },
        ],
      },
    ],
  },
  {
    promise: 'Duplicates and users are found without decrypting anything',
    steps: [
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
            some: { of: '', have: [{ fp_id: '{otherUser}', kind: 'ssn9' }] },
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
        claims: [{ says: 'the tag has an id', form: { id: /^tag_\w{22}$/ } }],
      },
      {
        title: 'Both are seen beside the duplicate',
        call: 'GET /users/{user}/duplicates?kinds=ssn9',
        claims: [
          {
            says: 'the label and the tag are there',
            some: { of: '', have: [{ label: 'offboard_fraud', tags: [TAG] }] },
          },
        ],
      },
      {
        title: 'Users are found by a value, exactly, and again without decrypting any',
        call: 'POST /users/search',
        body: { search: 'Jane@Example.org' },
        claims: [
          {
            says: 'Jane is found by her e-mail address, and nobody else',
            rows: { of: 'data', columns: ['id'], are: ['{user}'] },
          },
        ],
      },
    ],
  },
];
