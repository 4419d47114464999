/** The tenant and environment of an API key from the environment, which may differ from `default`. */
import type { AnswerOf } from '../../contract/registry.ts';
import type { Environment } from '../../nouns/entities/facts.ts';
import { PAGE_SIZE } from '../../contract/facts/limits.ts';
import type { Client } from '../../client/client.ts';
import type { DaemonAccess } from './daemon-access.ts';
import { defined } from '../../kernel/defined.ts';

type ApiKey = AnswerOf<'GET /_kyclone/api-keys'>['data'][number];

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
  const matching = (await allKeys(client)).filter(({ prefix }) => key.startsWith(prefix));
  const [first] = matching;
  const isOne = matching.every(
    ({ tenant, environment }) => tenant === first?.tenant && environment === first.environment,
  );
  return first && isOne ? { tenant: first.tenant, environment: first.environment } : undefined;
}

async function allKeys(client: Client): Promise<ApiKey[]> {
  const all: ApiKey[] = [];
  let cursor: string | undefined;
  do {
    const { data, meta } = await client.call('GET /_kyclone/api-keys', {
      query: { page_size: PAGE_SIZE.most, ...defined({ cursor }) },
    });
    all.push(...data);
    cursor = meta.next ?? undefined;
  } while (cursor !== undefined);
  return all;
}
