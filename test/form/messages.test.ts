import { describe, expect, test } from 'vitest';
import { VaultError } from '../../src/form/errors.ts';
import { summaryOf } from '../../src/form/messages.ts';

describe('summaryOf', () => {
  test('summaryOf: an expired token is said to have expired', () => {
    const error = new VaultError('token_expired', 'whatever', { status: 401 });

    expect(summaryOf(error, [])).toMatch(/token has expired/);
  });

  test('summaryOf: marked fields are named', () => {
    const error = new VaultError('T120', 'Vault data is not valid: id.ssn9, id.dob', { status: 400 });

    expect(summaryOf(error, ['SSN', 'Born'])).toBe('Please correct: SSN, Born.');
  });

  test('summaryOf: what is not permitted is not asked to be corrected', () => {
    const error = new VaultError('permission_denied', 'no', { status: 403 });

    expect(summaryOf(error, ['SSN'])).toBe('Not permitted: SSN.');
  });

  test('summaryOf: what was refused and has no field is named with what is wrong with it', () => {
    const error = new VaultError('T120', 'Vault data is not valid: id.itin', { status: 400 });

    expect(summaryOf(error, ['SSN'], [['id.itin', 'cannot be set']])).toBe(
      'Please correct: SSN. id.itin: cannot be set.',
    );
  });

  test('summaryOf: any other refusal is what the service says', () => {
    expect(summaryOf(new VaultError('storage_full', 'No space is left', { status: 507 }), [])).toBe(
      'No space is left.',
    );
  });

  test('summaryOf: a code that names a member of every object is no known code', () => {
    expect(summaryOf(new VaultError('constructor', 'Odd', { status: 500 }), [])).toBe('Odd.');
  });
});
