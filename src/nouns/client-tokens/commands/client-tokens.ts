/**
 * Client tokens: their creation, shared by `users token` and `businesses token` (contract §2.2, §2.15), and their
 * views.
 */
import { listView, shortTime } from '../../../cli/shell/layout.ts';
import { string } from '@oclif/core/flags';
import type { RequestOf, AnswerOf } from '../../../contract/registry.ts';
import { TOKEN_SCOPES_THAT } from '../facts.ts';
import { SECOND_MS } from '../../../kernel/numbers/units.ts';
import { durationFlag } from '../../../cli/shell/times.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { type FlagValues, liveFlag, reasonFlag, repeatable } from '../../../cli/shell/flags.ts';
import { printable } from '../../../cli/shell/output.ts';
import type { Inspection } from '../../vault/commands/view.ts';
import { defined } from '../../../kernel/defined.ts';
import { nameInList } from '../../../kernel/text/text.ts';

type MintBody = RequestOf<'POST /users/{fp_id}/client_token'>['body'];

export const TOKEN_SCOPE_HELP = 'what the token may do with the fields';

export const tokenFlags = {
  field: string({
    summary:
      'an identifier that it covers, for an image also one version as …image:2; repeatable (none for vault_card, one for ' +
      'decrypt_download)',
    helpValue: 'IDENTIFIER',
    ...repeatable,
  }),
  ttl: durationFlag({ summary: 'lifetime: 90s, 5m, 1d (default: 30m)' }),
  reason: reasonFlag({ summary: 'the reason for decryptions without one of their own' }),
  ...liveFlag,
};

const DECRYPTING: ReadonlySet<string> = new Set([
  ...TOKEN_SCOPES_THAT.decrypt,
  ...TOKEN_SCOPES_THAT.download,
]);

/** The lifetime is in milliseconds in the flag, in seconds in the API. */
export function tokenBody(
  flags: Partial<FlagValues<typeof tokenFlags>> & { readonly scope: NonNullable<MintBody['scope']> },
): MintBody {
  const { scope, field, ttl, reason } = flags;
  if (reason !== undefined && !DECRYPTING.has(scope))
    throw new UsageError(`--reason is for decryptions, and --scope ${scope} allows none`);
  return { scope, ...defined({ fields: field, ttl: ttl && ttl / SECOND_MS, decrypt_reason: reason }) };
}

export type NewToken = AnswerOf<'POST /users/{fp_id}/client_token'>;

/** The token alone, for `TOKEN=$(…)`. */
export function newTokenView({ token }: NewToken): string {
  return printable(token);
}

export function tokenNote({ fields, expires_at }: NewToken): string {
  return `For ${fields.join(', ')}; expires ${expires_at}`;
}

export const tokenListView = listView<Inspection['tokens']>('No tokens', [
  ['ID', 'id'],
  ['SCOPE', 'scope'],
  ['EXPIRES (UTC)', ({ expires_at }) => shortTime(expires_at), 1],
  ['REVOKED', 'revoked'],
  ['FIELDS', ({ fields }) => fields.map(nameInList).join(' '), 2],
]);
