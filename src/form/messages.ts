/** The summary above the fields. The problem of a single field appears beside it. */
import type { VaultError } from './errors.ts';

const BY_CODE: ReadonlyMap<string, string> = new Map([
  ['token_expired', 'The token has expired. Nothing was done; ask for a new one.'],
  ['unauthenticated', 'The token is not valid: it was mistyped, revoked, or its user is gone.'],
  ['reason_required', 'A reason is needed.'],
]);

/** `marked` are the labels of fields with a message; `elsewhere` are refused identifiers without a field. */
export function summaryOf(
  error: VaultError,
  marked: readonly string[],
  elsewhere: readonly (readonly [identifier: string, message: string])[] = [],
): string {
  const known = BY_CODE.get(error.code);
  if (known !== undefined) return known;
  const parts = elsewhere.map(([identifier, message]) => `${identifier}: ${message}.`);
  if (marked.length === 0) return [sentence(error.message), ...parts].join(' ');
  return [refused(error.code, marked), ...parts].join(' ');
}

/** For entries that the page itself couldn't read. */
export function unreadableSummary(marked: readonly string[]): string {
  return refused('', marked);
}

function refused(code: string, marked: readonly string[]): string {
  const verb = code === 'permission_denied' ? 'Not permitted' : 'Please correct';
  return `${verb}: ${marked.join(', ')}.`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
