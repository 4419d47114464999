/**
 * The operator's name in the emulator's own header (contract §11): any valid name, percent-encoded, since a header is
 * ASCII only. It is no credential: a caller with the key may send any name.
 */
import { attempt } from '../kernel/attempt.ts';
import { OPERATOR_LIMIT } from '../nouns/access-log/facts.ts';

/** The rule for names, for messages. */
export const OPERATOR_RULE = `1 to ${OPERATOR_LIMIT} characters, no control characters, no blanks around them`;

/** Control characters, invisible formatting, unpaired surrogates, line and paragraph separators. */
const NOT_IN_NAME = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

export function isOperatorName(text: string): boolean {
  if (text === '' || text.trim() !== text || NOT_IN_NAME.test(text)) return false;
  return Array.from(text).length <= OPERATOR_LIMIT;
}

/** `name` must be valid. */
export function encodeOperator(name: string): string {
  return encodeURIComponent(name);
}

/** Undefined when the text is not a valid encoded name. */
export function decodeOperator(header: string): string | undefined {
  if (!PRINTABLE_ASCII.test(header)) return undefined;
  const name = attempt(() => decodeURIComponent(header));
  return name !== undefined && isOperatorName(name) ? name : undefined;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;
