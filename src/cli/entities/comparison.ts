/** Compares a caller's statement with a stored value, and one entity with another: shared flags, help and views. */
import { string } from '@oclif/core/flags';
import { string as stringArg } from '@oclif/core/args';
import type { VerificationResult } from '../../contract/facts/vault.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { table } from '../shell/layout.ts';
import { UsageError } from '../shell/failure.ts';
import type { InputSource } from '../shell/input.ts';
import type { Style } from '../shell/output.ts';
import { identifierArg, liveFlag, reasonFlag } from '../shell/flags.ts';

type Verification = AnswerOf<'POST /users/{fp_id}/verify'>;
type Comparison = AnswerOf<'POST /users/{fp_id}/compare'>;

export const verifyArgs = {
  ...identifierArg,
  value: stringArg({ description: 'what the caller said: @FILE, - for stdin, ? for a prompt', default: '?' }),
};
export const verifyFlags = {
  also: string({
    summary: 'check this, too, with the same reason: =? asks without echo, =@FILE, =-; repeatable',
    helpValue: 'IDENTIFIER=VALUE',
    multiple: true,
  }),
  reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
  ...liveFlag,
};
export const compareFlags = {
  reason: string({ summary: 'why, for the access log; optional', helpValue: 'TEXT' }),
  ...liveFlag,
};

export const VERIFY_DESCRIPTION =
  'Shows only whether it matches: exit code 0 when it does, 1 when it does not, can not be read, or nothing is stored. The ' +
  'value is asked for without echo unless it is given; it is compared as the vault stores it, and a date may be as people ' +
  'say it (12/30/88, 30.12.1988, 30 Dez 1988). The access log records who asked, why, for which field and with what result.';
export const COMPARE_DESCRIPTION =
  'Shows for each field whether it is equal, different, or unknown because only one of both has it; no value is shown. ' +
  'It is recorded in the access log of both.';

const WORDS: Readonly<Record<VerificationResult, string>> = {
  match: 'matches',
  no_match: 'does not match',
  unreadable: 'can not be read',
  nothing_to_compare: 'nothing is stored to compare with',
};

/** The values of the command: one, or several with the values of `--also`. Throws UsageError. */
export async function sayingsOf(
  { identifier, value }: { readonly identifier: string; readonly value: string },
  also: readonly string[] | undefined,
  input: Pick<InputSource, 'secret'>,
) {
  const asked = async (name: string, text: string) => ({
    identifier: name,
    value: await input.secret(text, `What was said of ${name}`),
  });
  const whole = pairIn(identifier);
  if (whole && value !== '?')
    throw new UsageError('IDENTIFIER=VALUE has the value already', 'give id.dob VALUE, or id.dob=VALUE');
  const first = await asked(whole?.name ?? identifier, whole?.text ?? value);
  if (also === undefined) return first;
  const values = [first];
  for (const each of also) {
    const pair = pairIn(each);
    if (!pair) throw new UsageError('--also needs an identifier and a value', 'it looks like id.dob=?');
    values.push(await asked(pair.name, pair.text));
  }
  return { values };
}

/** `id.dob=VALUE`, as other commands take it. */
function pairIn(typed: string): { readonly name: string; readonly text: string } | undefined {
  const [, name, text] = /^([^=]+)=(.+)$/s.exec(typed) ?? [];
  return name === undefined || text === undefined ? undefined : { name, text };
}

/** Whether all that was said matches. */
export function isVerified({ results }: Verification): boolean {
  return results.every(({ result }) => result === 'match');
}

export function verificationView({ results }: Verification, style: Style): string {
  return results
    .map(({ identifier, result, hint }) => {
      const text = `${identifier}: ${WORDS[result]}`;
      if (result === 'match') return style.good(text);
      return hint === null ? style.bad(text) : `${style.warn(text)}. ${hint}`;
    })
    .join('\n');
}

export function comparisonView({ fields }: Comparison, style: Style): string {
  const rows = fields.map(({ identifier, result }) => [identifier, result]);
  return table(['FIELD', 'RESULT'], rows, style, 'Neither has any data');
}
