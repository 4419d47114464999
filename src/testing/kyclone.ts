/** The `Kyclone` object that tests use: a running daemon seen through its API. */
import type { Environment } from '../contract/facts/entities.ts';
import type { Connection } from '../client/credentials.ts';
import { createClock } from './clock.ts';
import { KycloneError } from './errors.ts';
import { createEvents } from './events.ts';
import { createFaults } from './faults.ts';
import { runFixtureFiles } from './fixtures.ts';
import type { CheckedOptions } from './options.ts';
import { guardedClient } from './own-client.ts';
import type { Kyclone, Tenant } from './api.ts';
import { defined } from '../kernel/defined.ts';

export interface Running {
  readonly port: number;
  readonly liveApiKey: string;
  readonly connection: Required<Omit<Connection, 'operator'>> & {
    readonly apiKey: string;
    readonly controlToken: string;
  };
  /** Stops the daemon and deletes its folder. */
  stop(): Promise<void>;
}

/** Takes over `running`, and stops it when the settings or fixtures in the options are invalid. */
export async function assemble(running: Running, options: CheckedOptions): Promise<Kyclone> {
  const { connection, port, liveApiKey } = running;
  const { baseUrl: url, apiKey, controlToken } = connection;
  let closed: Promise<void> | undefined;
  const checkOpen = () => {
    if (closed) throw new KycloneError('closed', 'This instance was closed');
  };
  const client = guardedClient(connection, checkOpen);
  const events = createEvents({ client, connection });
  const clock = createClock(client);
  let tenants = 0;
  let snapshots = 0;

  async function applySettings(): Promise<void> {
    if (options.settings) await client.call('PATCH /_kyclone/settings', { body: options.settings });
  }

  async function newKey(tenant: string, environment: Environment): Promise<string> {
    return (await client.call('POST /_kyclone/api-keys', { body: { tenant, environment } })).key;
  }

  async function close(): Promise<void> {
    events.close();
    await running.stop();
  }

  const kyclone: Kyclone = {
    url,
    port,
    apiKey,
    liveApiKey,
    controlToken,
    client,
    clock,
    faults: createFaults(client),

    async tenant(name): Promise<Tenant> {
      const own = name ?? `tenant-${++tenants}`;
      const key = await newKey(own, 'sandbox');
      return {
        name: own,
        apiKey: key,
        liveApiKey: await newKey(own, 'live'),
        client: guardedClient({ ...connection, apiKey: key }, checkOpen),
        waitFor: (kind, waiting) => kyclone.waitFor(kind, { ...waiting, tenant: own }),
      };
    },

    async reset({ seed, hard } = {}) {
      const body = defined({ seed, hard });
      await client.call('POST /_kyclone/reset', { body });
      events.restore(new Set());
      if (options.clockAt !== undefined) await clock.freeze(new Date(options.clockAt));
      if (hard) await applySettings();
      await runFixtureFiles(options.fixtures ?? [], client);
    },

    async snapshot(name) {
      const params = { name: name ?? `snapshot-${++snapshots}` };
      await client.call('PUT /_kyclone/snapshots/{name}', { params });
      const handedOut = events.state();
      return {
        name: params.name,
        async restore() {
          await client.call('POST /_kyclone/snapshots/{name}/load', { params });
          events.restore(handedOut);
        },
        async delete() {
          await client.call('DELETE /_kyclone/snapshots/{name}', { params });
        },
      };
    },

    async waitFor(kind, waiting) {
      checkOpen();
      return await events.waitFor(kind, waiting);
    },

    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => kyclone.close(),
  };

  try {
    await applySettings();
    await runFixtureFiles(options.fixtures ?? [], client);
  } catch (error) {
    await kyclone.close();
    throw error;
  }
  return kyclone;
}
