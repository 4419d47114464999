/**
 * The one thing here that speaks with the daemon: the typed client, the space that is looked at, and what a screen needs
 * to say about a request that would answer the same.
 */
import type { Environment } from '../../contract/facts/entities.ts';
import { createClient, type Client, type Connection } from '../../client/client.ts';

/** As the control plane names a tenant's environment (contract §11). */
export interface TenantEnvironment {
  readonly tenant: string;
  readonly environment: Environment;
}

export interface Source {
  readonly client: Client;
  readonly space: TenantEnvironment;
  /** Whether it asks with the API key that begins so. */
  isOwnKey(prefix: string): boolean;
  /** Sends one request for all callers that ask the same at the same time. */
  once<T>(key: string, ask: () => Promise<T>): Promise<T>;
}

export function createSource(connection: Connection, environment: TenantEnvironment['environment']): Source {
  const inFlight = new Map<string, Promise<unknown>>();
  return {
    client: createClient(connection),
    space: { tenant: 'default', environment },
    isOwnKey: (prefix) => connection.apiKey?.startsWith(prefix) === true,
    once<T>(key: string, ask: () => Promise<T>): Promise<T> {
      const asked = inFlight.get(key) as Promise<T> | undefined;
      if (asked !== undefined) return asked;
      const asking = ask().finally(() => inFlight.delete(key));
      inFlight.set(key, asking);
      return asking;
    },
  };
}
