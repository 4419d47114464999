/** The `Kyclone` object that tests use: a running daemon seen through its API. */
import { type Client, createClient } from '../client/client.ts';
import type { Connection } from '../client/credentials.ts';
import type { Environment } from '../contract/facts/entities.ts';
import { FAULT_PRESETS } from '../contract/fault-presets.ts';
import type { RequestOf } from '../contract/registry.ts';
import { defined } from '../kernel/defined.ts';
import type { Clock, FaultRule, Faults, Kyclone, NewFault, Tenant } from './api.ts';
import { KycloneError } from './errors.ts';
import { createEvents } from './events.ts';
import { type CheckedOptions, isoTime } from './options.ts';

const EVERY_CALL = '/**';
const PAGE_SIZE = 100;

function createFaults(client: Client): Faults {
  async function list(): Promise<FaultRule[]> {
    const rules: FaultRule[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await client.call('GET /_kyclone/faults', { query: { cursor, page_size: PAGE_SIZE } });
      rules.push(...page.data);
      if (page.meta.next === null) return rules;
      cursor = page.meta.next;
    }
  }

  return {
    list,
    add(rule, match) {
      const given = typeof rule === 'string' ? preset(rule) : rule;
      const body = { ...given, match: { path: EVERY_CALL, ...given.match, ...match } };
      return client.call('POST /_kyclone/faults', { body });
    },
    async clear(id) {
      if (id === undefined) await client.call('DELETE /_kyclone/faults');
      else await client.call('DELETE /_kyclone/faults/{id}', { params: { id } });
    },
  };
}

function preset(name: string): NewFault {
  const found = FAULT_PRESETS.find((each) => each.name === name);
  if (found) return found.rule;
  const names = FAULT_PRESETS.map((each) => each.name).join(', ');
  throw new KycloneError('invalid_option', `There is no preset of that name; there are ${names}`);
}

export interface Running {
  readonly port: number;
  readonly liveApiKey: string;
  readonly connection: Required<Omit<Connection, 'operator' | 'seen'>> & {
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

/** Runs the fixture files one after another. Throws FixtureError. */
async function runFixtureFiles(files: readonly string[], client: Client): Promise<void> {
  if (files.length === 0) return;
  // Loaded on demand: most tests have no fixtures.
  const { loadFixture, runFixture } = await import('../client/fixtures/index.ts');
  for (const file of files) await runFixture(loadFixture(file), { client });
}

function createClock(client: Client): Clock {
  async function move(body: RequestOf<'PUT /_kyclone/clock'>['body']): Promise<Date> {
    return new Date((await client.call('PUT /_kyclone/clock', { body })).now);
  }

  return {
    now: async () => new Date((await client.call('GET /_kyclone/clock')).now),
    freeze: (at) =>
      move(defined({ action: 'freeze', at: at === undefined ? at : isoTime(at, 'The time to freeze at') })),
    set: (at) => move({ action: 'set', at: isoTime(at, 'The time to set') }),
    advance: (by) => move({ action: 'advance', by }),
    resume: () => move({ action: 'resume' }),
  };
}

/** A client that calls `check` before every call; `check` may throw. */
function guardedClient(connection: Connection, check: () => void): Client {
  const client = createClient(connection);
  return {
    async call(key, ...options) {
      check();
      return await client.call(key, ...options);
    },
    async exchange(key, ...options) {
      check();
      return await client.exchange(key, ...options);
    },
    async upload(key, options) {
      check();
      return await client.upload(key, options);
    },
    async download(token, options) {
      check();
      return await client.download(token, options);
    },
    async snapshotContent(name, options) {
      check();
      return await client.snapshotContent(name, options);
    },
    async request(request) {
      check();
      return await client.request(request);
    },
  };
}
