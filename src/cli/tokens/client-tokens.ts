/** Minting client tokens: what `users token` and `businesses token` share (contract §2.2, §2.15). */
import { string } from '@oclif/core/flags';
import type { RequestOf } from '../../contract/registry.ts';
import { liveFlag, reasonFlag, secondsFlag } from '../shell/flags.ts';

type MintBody = RequestOf<'POST /users/{fp_id}/client_token'>['body'];

export const BUSINESS_TOKEN_SCOPES = ['vault', 'decrypt', 'vault_and_decrypt', 'decrypt_download'] as const;
export const USER_TOKEN_SCOPES = [...BUSINESS_TOKEN_SCOPES, 'vault_card'] as const;
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
  ttl: secondsFlag({ summary: 'how long it lasts, 30m unless given: seconds, or a number with s, m, h, d' }),
  reason: reasonFlag({ summary: 'the reason of decryptions that give none themselves' }),
  ...liveFlag,
};

export function tokenBody(flags: {
  readonly scope: NonNullable<MintBody['scope']>;
  readonly field?: string[] | undefined;
  readonly ttl?: number | undefined;
  readonly reason?: string | undefined;
}): MintBody {
  const { scope, field, ttl, reason } = flags;
  return {
    scope,
    ...(field && { fields: field }),
    ...(ttl !== undefined && { ttl }),
    ...(reason !== undefined && { decrypt_reason: reason }),
  };
}
