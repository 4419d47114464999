import { expect, test } from 'vitest';
import { errorEntry, ERRORS, type ErrorEntry } from '../../src/contract/errors.ts';

/** Contract §12, copied by hand: code, status, category. */
const CONTRACT: readonly (readonly [code: string, status: number, category: string])[] = [
  ['T120', 400, 'validation'],
  ['T121', 400, 'onboarding'],
  ['T122', 409, 'onboarding'],
  ['invalid_request', 400, 'input'],
  ['invalid_json', 400, 'input'],
  ['reason_required', 400, 'input'],
  ['transform_invalid', 400, 'input'],
  ['transform_failed', 400, 'input'],
  ['external_id_taken', 400, 'input'],
  ['playbook_unknown', 400, 'input'],
  ['intent_invalid', 400, 'input'],
  ['decision_required', 400, 'state'],
  ['decision_not_approved', 400, 'state'],
  ['proxy_token_invalid', 400, 'proxy'],
  ['proxy_token_unresolved', 400, 'proxy'],
  ['proxy_too_many_tokens', 400, 'proxy'],
  ['proxy_target_refused', 400, 'proxy'],
  ['unauthenticated', 401, 'credential'],
  ['token_expired', 401, 'credential'],
  ['scope_missing', 403, 'permission'],
  ['origin_refused', 403, 'transport'],
  ['permission_denied', 403, 'permission'],
  ['not_found', 404, 'lookup'],
  ['method_not_allowed', 405, 'lookup'],
  ['conflict', 409, 'state'],
  ['link_disconnected', 409, 'state'],
  ['payload_too_large', 413, 'limit'],
  ['unsupported_media_type', 415, 'input'],
  ['misdirected_request', 421, 'transport'],
  ['headers_too_large', 431, 'limit'],
  ['internal_error', 500, 'server'],
  ['proxy_upstream_unreachable', 502, 'upstream'],
  ['proxy_response_too_large', 502, 'upstream'],
  ['proxy_ingress_failed', 502, 'upstream'],
  ['partner_unreachable', 502, 'upstream'],
  ['fault_injected', 503, 'fault'],
  ['not_ready', 503, 'server'],
  ['sealed', 503, 'server'],
  ['proxy_upstream_timeout', 504, 'upstream'],
  ['storage_full', 507, 'server'],
];

const contractCodes = new Map(CONTRACT.map(([code, status, category]) => [code, { status, category }]));

test('ERRORS: a code of the contract has its status and category', () => {
  const known = Object.entries(ERRORS).filter(([code]) => contractCodes.has(code));

  expect(known).toHaveLength(CONTRACT.length);
  for (const [code, { status, category }] of known) {
    expect({ code, status, category }).toEqual({ code, ...contractCodes.get(code) });
  }
});

test('ERRORS: a code that the contract lacks says what was assumed', () => {
  const added = Object.entries(ERRORS).filter(([code]) => !contractCodes.has(code));

  for (const [code, entry] of added) expect(entry, code).toHaveProperty('assumed');
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
