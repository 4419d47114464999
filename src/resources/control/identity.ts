/** The public facts about this port, and the proof that it belongs to this daemon (contract/identity-proof.ts). */
import {
  identityProof,
  isChallenge,
  type IdentityClaim,
  type SharedSecret,
} from '../../contract/identity-proof.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { ApiKeys } from '../api-keys/index.ts';
import type { Instance } from './instance.ts';

export interface IdentityContext {
  readonly instance: Instance;
  readonly controlToken: string;
  readonly apiKeys: Pick<ApiKeys, 'digestNamed'>;
}

interface HealthRequest {
  readonly query: RequestOf<'GET /_kyclone/health'>['query'];
  readonly rawHeaders: readonly string[];
}

/** Throws `invalid_request` for an invalid challenge. An unknown or disabled API key gives no proof. */
export function healthAnswer(
  context: IdentityContext,
  { query: { challenge, key }, rawHeaders }: HealthRequest,
): AnswerOf<'GET /_kyclone/health'> {
  const { instance } = context;
  const health = { status: 'ok', nonce: instance.nonce } as const;
  if (challenge === undefined) return health;
  if (!isChallenge(challenge)) {
    throw new ServiceError(
      'invalid_request',
      'Query parameter challenge must be base64url without padding, of 16 to 64 bytes',
    );
  }
  const claim: IdentityClaim = {
    challenge,
    pid: instance.pid,
    instance: instance.name,
    authority: hostOf(rawHeaders),
  };
  const secret = secretOf(context, key);
  const known = { ...health, pid: claim.pid, instance: claim.instance };
  return secret === undefined ? known : { ...known, proof: identityProof(secret, claim) };
}

function secretOf(
  { controlToken, apiKeys }: IdentityContext,
  key: string | undefined,
): SharedSecret | undefined {
  if (key === undefined) return { kind: 'control_token', token: controlToken };
  const digest = apiKeys.digestNamed(key);
  return digest && { kind: 'api_key', digest };
}

/** The guards have already checked that there is exactly one, and that it is ours. */
function hostOf(rawHeaders: readonly string[]): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return (rawHeaders[at + 1] ?? '').toLowerCase();
}
