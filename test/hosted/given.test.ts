/** Files and dates of birth that the page refuses by itself (contract §14). */
import { expect, test } from 'vitest';
import { UPLOAD_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { birthProblem, dateOf, judged, mediaTypeOf } from '../../src/hosted/given.ts';
import { aPng } from '../support/builders.ts';

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

test.each([
  ['image/png', new Uint8Array(aPng())],
  ['image/jpeg', bytes('\xff\xd8\xff\xe0 ...')],
  ['image/heic', bytes('\0\0\0\x18ftypheic\0\0\0\0')],
  ['image/heic', bytes('\0\0\0\x1cftypmif1\0\0\0\0')],
  ['application/pdf', bytes('%PDF-1.7\n')],
  [undefined, bytes('\0\0\0\x18ftypisom\0\0\0\0')],
  [undefined, bytes('GIF89a')],
  [undefined, bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  [undefined, bytes('\x89PN')],
])('file: content of type %s', (type, head) => {
  expect(mediaTypeOf(head)).toBe(type);
});

test('file: neither its name nor its declared type counts', async () => {
  expect(await judged(new File(['a text'], 'a.png', { type: 'image/png' }))).toBe('MIME');
  const picture = await judged(new File([new Uint8Array(aPng())], 'a.txt', { type: 'text/plain' }));
  expect(picture).toMatchObject({ name: 'a.txt', type: 'image/png' });
  expect(await judged(new File([], 'a.png'))).toBe('EMPTY');
  const large = new File([new Uint8Array(aPng()), new Uint8Array(UPLOAD_LIMIT_BYTES)], 'a.png');
  expect(await judged(large)).toBe('BIG');
});

test.each([
  ['12/30/1988', '1988-12-30'],
  // No such day: the service says so.
  ['02/31/1990', '1990-02-31'],
  ['31.2.1990', '1990-02-31'],
  ['2/31', undefined],
  ['soon', undefined],
])('date: %s is sent as %s', (text, sent) => {
  expect(dateOf('id.dob', text)).toBe(sent);
});

test.each([
  ['2026-11-28', undefined],
  ['2026-11-29', 'FUTURE'],
  ['2088-12-30', 'FUTURE'],
  ['1896-11-28', undefined],
  ['1896-11-27', 'OLD'],
  ['0001-01-01', 'OLD'],
])('date of birth: %s on 28 November 2026: %s', (date, problem) => {
  expect(birthProblem(date, new Date(2026, 10, 28))).toBe(problem);
});
