/**
 * The only access to the daemon here: the typed client, the tenant and environment, and the data for a copied
 * request.
 */
import type { Environment } from '../../nouns/entities/facts.ts';
import type { Client } from '../../client/client.ts';

/** A tenant's environment as the control plane names it (contract §11). */
export interface TenantEnvironment {
  readonly tenant: string;
  readonly environment: Environment;
}

/** What is asked of the daemon, and the one file that is read. */
export type SourceClient = Pick<Client, 'call' | 'download'>;

export interface Source {
  readonly client: SourceClient;
  readonly space: TenantEnvironment;
  /** Whether the inspector uses the API key with this prefix. */
  isOwnKey(prefix: string): boolean;
  /** Sends one request for all callers that make the same request at the same time. */
  once<T>(key: string, ask: () => Promise<T>): Promise<T>;
}

export function sourceOf(
  client: SourceClient,
  space: TenantEnvironment,
  isOwnKey: Source['isOwnKey'],
): Source {
  const inFlight = new Map<string, Promise<unknown>>();
  return {
    client,
    space,
    isOwnKey,
    once<T>(key: string, ask: () => Promise<T>): Promise<T> {
      const asked = inFlight.get(key) as Promise<T> | undefined;
      if (asked !== undefined) return asked;
      const asking = ask().finally(() => inFlight.delete(key));
      inFlight.set(key, asking);
      return asking;
    },
  };
}
