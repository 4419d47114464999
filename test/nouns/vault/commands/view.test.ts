import { describe, expect, test } from 'vitest';
import { PLAIN } from '../../../../src/cli/shell/output.ts';
import { isText } from '../../../../src/cli/api/view.ts';
import { documentListView, duplicateListView } from '../../../../src/nouns/entities/commands/view.ts';
import { savedFileView, valuesView } from '../../../../src/nouns/vault/commands/view.ts';
import { labelView, tagListView } from '../../../../src/nouns/entities/commands/attributes.ts';
import {
  newTokenView,
  tokenListView,
  tokenNote,
} from '../../../../src/nouns/client-tokens/commands/client-tokens.ts';

const AT = '2026-01-31T12:00:00.000Z';
const SHOWN = '2026-01-31 12:00:00';

const token = { token: 'cttok_1', expires_at: AT, fields: ['id.dob', 'id.city'] };

test('newTokenView, tokenNote: the token and nothing else, what it is for and until when without the token', () => {
  expect(newTokenView(token)).toBe('cttok_1');
  expect(tokenNote(token)).toBe(`For id.dob, id.city; expires ${AT}`);
});

test('tokenListView: one line a token', () => {
  const tokens = [
    { id: 'tok_1', scope: 'vault' as const, fields: ['id.dob', 'id.city'], expires_at: AT, revoked: true },
  ];
  expect(tokenListView(tokens, PLAIN)).toBe(
    `ID     SCOPE  EXPIRES (UTC)        REVOKED  FIELDS\ntok_1  vault  ${SHOWN}  yes      id.dob id.city`,
  );
  expect(tokenListView([], PLAIN)).toBe('No tokens');
});

test('documentListView: images as vault decrypt takes them', () => {
  const front = { identifier: 'document.passport.front.image', version: 2 };
  const document = {
    id: 'doc_1',
    created_at: AT,
    document_type: 'passport' as const,
    onboarding_id: '',
    images: { front, selfie: { identifier: 'document.passport.selfie.image', version: 4 } },
  };
  expect(documentListView([document], { ...PLAIN, width: Infinity }).split('\n')[1]).toBe(
    `doc_1  passport  ${SHOWN}  -           document.passport.front.image:2 document.passport.selfie.image:4`,
  );
  expect(documentListView([document], PLAIN).split('\n').slice(1)).toEqual([
    `doc_1  passport  ${SHOWN}  document.passport.front.image:2`,
    `${' '.repeat(38)}document.passport.selfie.image:4`,
  ]);
  expect(documentListView([], PLAIN)).toBe('No documents');
});

test('duplicateListView: who, and what is the same', () => {
  const duplicate = { fp_id: 'fp_id_1', external_id: null, kind: 'ssn9', label: null, tags: ['vip', 'new'] };
  expect(duplicateListView([duplicate], PLAIN).split('\n')[1]).toBe(
    'fp_id_1  -            ssn9  -      vip, new',
  );
  expect(duplicateListView([], PLAIN)).toBe('No duplicates');
});

test.each([
  [{ kind: 'active' as const, created_at: AT }, `label  active\nsince  ${AT}`],
  [{ kind: null }, 'No label'],
  [{}, 'Done'],
])('labelView: %j', (label, text) => {
  expect(labelView(label, PLAIN)).toBe(text);
});

test('tagListView: one line a tag', () => {
  expect(tagListView([{ id: 'tag_1', tag: 'wave 2', created_at: AT }], PLAIN).split('\n')[1]).toBe(
    `wave 2  ${SHOWN}  tag_1`,
  );
  expect(tagListView([], PLAIN)).toBe('No tags');
});

const saved = { identifier: 'custom.a', content_type: 'image/png', bytes: 7, path: '/tmp/a.png' };

test('savedFileView: says what was written where, nothing where the file itself is the result', () => {
  expect(savedFileView(saved, PLAIN)).toBe('Saved /tmp/a.png (7 bytes, image/png)');
  expect(savedFileView({ ...saved, path: null }, PLAIN)).toBe('');
  expect(savedFileView({ ...saved, content_type: 'a/\u001b[2J' }, PLAIN)).not.toContain('\u001b');
});

const megabyte = Buffer.alloc(1024 * 1024, 7).toString('base64');

test('valuesView: a file is shown by its size, with a word on how to get it', () => {
  expect(valuesView({ 'id.city': 'Boston', 'document.custom.a:3': megabyte }, PLAIN)).toBe(
    'id.city              Boston\ndocument.custom.a:3  <1048576 bytes>\n' +
      'Files are shown by size; vault download saves a file, --json prints it whole',
  );
});

test.each([
  ['short base64', 'aGVsbG8='],
  ['long text', 'lorem ipsum '.repeat(500)],
  ['nothing', null],
])('valuesView: %s stays as it is', (_, value) => {
  expect(valuesView({ 'custom.a': value }, PLAIN)).toBe(`custom.a  ${value ?? '-'}`);
});

describe('api views', () => {
  test.each([
    ['application/json; charset=utf-8', true],
    ['text/plain', true],
    ['application/problem+json', true],
    [undefined, true],
    ['image/png', false],
    ['application/octet-stream', false],
    ['application/pdf', false],
  ])('isText: %s %s', (type, expected) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expect(isText({ status: 200, headers, body: Buffer.alloc(0) })).toBe(expected);
  });
});
