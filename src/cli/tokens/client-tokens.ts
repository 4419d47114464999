/**
 * Client tokens: making them, which `users token` and `businesses token` share (contract §2.2, §2.15), and how they
 * look for people.
 */
import { columns, shortTime } from '../shell/layout.ts';
import { string } from '@oclif/core/flags';
import type { RequestOf, AnswerOf } from '../../contract/registry.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { durationFlag } from '../shell/times.ts';
import { liveFlag, reasonFlag } from '../shell/flags.ts';
import { printable, type Style } from '../shell/output.ts';
import type { Inspection } from '../vault/view.ts';

type MintBody = RequestOf<'POST /users/{fp_id}/client_token'>['body'];

export const TOKEN_SCOPE_HELP = 'what it may do with the fields';

export const tokenFlags = {
  field: string({
    summary:
      'an identifier it is for, an image also of one version as …image:2; repeatable (none for vault_card, one for ' +
      'decrypt_download)',
    helpValue: 'IDENTIFIER',
    multiple: true,
    multipleNonGreedy: true,
  }),
  ttl: durationFlag({ summary: 'how long it lasts: 90s, 5m, 1d; 30m unless given' }),
  reason: reasonFlag({ summary: 'the reason of decryptions that give none themselves' }),
  ...liveFlag,
};

export function tokenBody(flags: {
  readonly scope: NonNullable<MintBody['scope']>;
  readonly field?: string[] | undefined;
  /** In milliseconds; the API counts in seconds. */
  readonly ttl?: number | undefined;
  readonly reason?: string | undefined;
}): MintBody {
  const { scope, field, ttl, reason } = flags;
  return {
    scope,
    ...(field && { fields: field }),
    ...(ttl !== undefined && { ttl: ttl / SECOND_MS }),
    ...(reason !== undefined && { decrypt_reason: reason }),
  };
}

export type NewToken = AnswerOf<'POST /users/{fp_id}/client_token'>;

/** The token and nothing else, for `TOKEN=$(…)`. */
export function newTokenView({ token }: NewToken): string {
  return printable(token);
}

/** What is said beside it. */
export function tokenNote({ fields, expires_at }: NewToken): string {
  return `For ${fields.join(', ')}; expires ${expires_at}`;
}

export function tokenListView(tokens: Inspection['tokens'], style: Style): string {
  const rows = tokens.map(({ id, scope, fields, expires_at, revoked }) => [
    id,
    scope,
    shortTime(expires_at),
    revoked ? 'yes' : 'no',
    fields.join(' '),
  ]);
  return columns(['ID', 'SCOPE', 'EXPIRES (UTC)', 'REVOKED', 'FIELDS'], rows, style, 'No tokens');
}
