/** The responses of the built-in partner (contract §8.2), which `kyclone partner echo` shares. Pure. */
import { createHash } from 'node:crypto';
import { timestamp } from '../../../kernel/time/clock.ts';

export interface PartnerSubmission {
  /** The user's account at the partner; for a new one `newAccountId`. */
  readonly accountId: string;
  readonly apiKey: string;
  /** The sender; null when the body doesn't name one. */
  readonly provider: string | null;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface PartnerAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, string | null>>;
}

/** 401 for a key that starts with `bad`, 422 for an account that starts with `reject`, else 200. */
export function builtInPartner({ accountId, apiKey, provider, at }: PartnerSubmission): PartnerAnswer {
  if (apiKey.startsWith('bad')) return refused(401, 'unauthorized', 'The API key is not valid');
  if (accountId.startsWith('reject')) {
    return refused(422, 'cip_rejected', 'The CIP information is not accepted for this account');
  }
  const now = timestamp(at);
  return {
    status: 200,
    body: { id: recordId(accountId), account_id: accountId, created_at: now, updated_at: now, provider },
  };
}

/** The id of an account that is opened: a user has one, so it is derived from theirs. */
export const newAccountId = (userId: string): string => recordId(userId);

function refused(status: number, code: string, message: string): PartnerAnswer {
  return { status, body: { code, message } };
}

/** An account has one record, so the id is derived from the account: a UUID of version 8, by hash. */
function recordId(accountId: string): string {
  const bytes = createHash('sha256').update(accountId, 'utf8').digest().subarray(0, 16);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x80;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
