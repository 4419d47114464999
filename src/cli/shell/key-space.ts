/** The tenant and environment of an API key from the environment, which may differ from `default`. */
import type { Environment } from '../../nouns/entities/facts.ts';
import type { Client } from '../../client/client.ts';
import { allPages } from '../../client/pages.ts';
import type { DaemonAccess } from './daemon-access.ts';

export interface KeySpace {
  readonly tenant: string;
  readonly environment: Environment;
}

/**
 * Finds the key by its prefix, which is compared locally: the key isn't sent. Undefined for keys of this user's
 * instances, which belong to `default`; without the control token; and if keys of several tenants or environments
 * match. Throws what the client throws.
 */
export async function spaceOfKey(
  client: Client,
  { locator, keys, controlToken }: DaemonAccess,
  isLive: boolean,
): Promise<KeySpace | undefined> {
  const key = isLive ? keys.live : keys.sandbox;
  if (locator !== undefined || controlToken === undefined || key === undefined) return undefined;
  const all = await allPages((page) => client.call('GET /_kyclone/api-keys', { query: page }));
  const matching = all.filter(({ prefix }) => key.startsWith(prefix));
  const [first] = matching;
  const isOne = matching.every(
    ({ tenant, environment }) => tenant === first?.tenant && environment === first.environment,
  );
  return first && isOne ? { tenant: first.tenant, environment: first.environment } : undefined;
}
