/** Compares a caller's statement with a stored value, and one entity with another: shared flags, help and views. */
import { string } from '@oclif/core/flags';
import { string as stringArg } from '@oclif/core/args';
import type { AnswerOf } from '../../contract/registry.ts';
import { table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { identifierArg, liveFlag, reasonFlag } from '../shell/flags.ts';

type Verification = AnswerOf<'POST /users/{fp_id}/verify'>;
type Comparison = AnswerOf<'POST /users/{fp_id}/compare'>;

export const verifyArgs = {
  ...identifierArg,
  value: stringArg({ description: 'what the caller said: @FILE, - for stdin, ? for a prompt', default: '?' }),
};
export const verifyFlags = {
  reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
  ...liveFlag,
};
export const compareFlags = {
  reason: string({ summary: 'why, for the access log; optional', helpValue: 'TEXT' }),
  ...liveFlag,
};

export const VERIFY_DESCRIPTION =
  'Shows only whether it matches: exit code 0 when it does, 1 when it does not or nothing is stored. The ' +
  'value is asked for without echo unless it is given; it is compared as the vault stores it. The access log records ' +
  'who asked, why and for which field.';
export const COMPARE_DESCRIPTION =
  'Shows for each field whether it is equal, different, or unknown because only one of both has it; no value is shown. ' +
  'It is recorded in the access log of both.';

const WORDS: Readonly<Record<Verification['result'], string>> = {
  match: 'matches',
  no_match: 'does not match',
  nothing_to_compare: 'nothing is stored to compare with',
};

export function verificationView({ identifier, result }: Verification, style: Style): string {
  const text = `${identifier}: ${WORDS[result]}`;
  return result === 'match' ? style.good(text) : style.bad(text);
}

export function comparisonView({ fields }: Comparison, style: Style): string {
  const rows = fields.map(({ identifier, result }) => [identifier, result]);
  return table(['FIELD', 'RESULT'], rows, style, 'Neither has any data');
}
