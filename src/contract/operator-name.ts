/**
 * The name of the person at the keyboard, as it travels in a header of the emulator's own (contract §11): any text a
 * name may be, percent-encoded, since a header holds ASCII only. It is no credential: who has the key may give any.
 */
import { OPERATOR_LIMIT } from './facts/access-log.ts';

/** What a name must be, for messages. */
export const OPERATOR_RULE = `1 to ${OPERATOR_LIMIT} characters, no control characters, no blanks around them`;

/** Controls, formatting that isn't seen, halves of characters, line and paragraph separators. */
const NOT_IN_NAME = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export function isOperatorName(text: string): boolean {
  if (text === '' || text.trim() !== text || NOT_IN_NAME.test(text)) return false;
  return Array.from(text).length <= OPERATOR_LIMIT;
}

/** `name` must be one. */
export function encodeOperator(name: string): string {
  return encodeURIComponent(name);
}

/** Undefined for what is no encoded name. */
export function decodeOperator(header: string): string | undefined {
  if (!PRINTABLE_ASCII.test(header)) return undefined;
  try {
    const name = decodeURIComponent(header);
    return isOperatorName(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
