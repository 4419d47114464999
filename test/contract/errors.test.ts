import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorEntry, ERRORS, type ErrorEntry } from '../../src/contract/errors.ts';
import { ROOT } from '../support/root.ts';

const section = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8').split(/^## /m)[13] ?? '';

/** The table of docs/contract.md §12: from code to status and category. Codes in one row are parted by a dot. */
const CONTRACT = new Map(
  [...section.matchAll(/^\| ([a-zT][\w ·]*?) +\| (\d{3}|by rule) +\| (\w+) +\|/gm)].flatMap(
    ([, codes = '', status, category]) =>
      codes.split(' · ').map((code) => [code, { status: Number(status) || 503, category }] as const),
  ),
);

test('ERRORS: a code of the contract has its status and category; one that it lacks says what was assumed', () => {
  expect(CONTRACT.size).toBeGreaterThan(40);
  for (const [code, entry] of CONTRACT)
    expect({ code, ...errorEntry(code) }).toMatchObject({ code, ...entry });
  for (const [code, entry] of Object.entries(ERRORS))
    if (!CONTRACT.has(code)) expect(entry, code).toHaveProperty('assumed');
});

test('ERRORS: every code has a meaning and the form of a slug, and a hint that says more than the message', () => {
  for (const [code, { status, meaning, hint }] of Object.entries<ErrorEntry>(ERRORS)) {
    expect(code).toMatch(/^(T\d{3}|[a-z]+(_[a-z]+)*)$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(600);
    expect(meaning, code).not.toBe('');
    if (hint !== undefined) expect(hint, code).not.toMatch(/^$|see context|message (?:names|says)/);
  }
});

test('errorEntry: an unknown code reads as a bug, and so does a name every object has', () => {
  expect(errorEntry('no_such_code')).toBe(ERRORS.internal_error);
  expect(errorEntry('constructor')).toBe(ERRORS.internal_error);
  expect(errorEntry('not_found')).toBe(ERRORS.not_found);
});
