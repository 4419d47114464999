/**
 * The one thing here that speaks with the daemon: the typed client, the space that is looked at, and what a screen needs
 * to say about a request that would answer the same.
 */
import { createClient, type Client, type Connection } from '../../client/client.ts';

/** As the control plane names a tenant's environment (contract §11). */
export interface TenantEnvironment {
  readonly tenant: string;
  readonly environment: 'sandbox' | 'live';
}

export interface Source {
  readonly client: Client;
  readonly space: TenantEnvironment;
  /** Answers the one request for all that ask the same at the same time. */
  once<T>(key: string, ask: () => Promise<T>): Promise<T>;
}

export function createSource(connection: Connection, environment: TenantEnvironment['environment']): Source {
  const underWay = new Map<string, Promise<unknown>>();
  return {
    client: createClient(connection),
    space: { tenant: 'default', environment },
    once<T>(key: string, ask: () => Promise<T>): Promise<T> {
      const asked = underWay.get(key) as Promise<T> | undefined;
      if (asked !== undefined) return asked;
      const asking = ask().finally(() => underWay.delete(key));
      underWay.set(key, asking);
      return asking;
    },
  };
}
