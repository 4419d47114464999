/**
 * `kyclone/testing`: a whole instance inside a test. The daemon runs in this process: in memory, on a free port, and
 * separate from the user's own instances.
 */
import { attempt } from '../kernel/attempt.ts';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import type { TSchema } from '@sinclair/typebox';
import { type Client, createClient } from '../client/client.ts';
import type { Connection } from '../client/credentials.ts';
import { allPages } from '../client/pages.ts';
import type { Environment } from '../nouns/entities/facts.ts';
import { FAULT_PRESETS } from '../nouns/faults/endpoints/presets.ts';
import { endpoints, type RequestOf } from '../contract/registry.ts';
import { ownPackage } from '../daemon/own-package.ts';
import { startDaemon, type Daemon } from '../daemon/start.ts';
import { defined } from '../kernel/defined.ts';
import { type Locator, instancePaths, type InstancePaths } from '../kernel/files/paths.ts';
import { beforeSignals } from '../kernel/program/processes.ts';
import { makeTemporaryFolder } from '../kernel/files/temporary-folders.ts';
import { openDatabase } from '../storage/database.ts';
import type { Kyclone, StartOptions, Clock, Faults, NewFault, Tenant } from './api.ts';
import { KycloneError } from './errors.ts';
import { createEvents } from './events.ts';
import { checkedOptions, type CheckedOptions, checkNames, checkObject, isoTime } from './options.ts';

export { FixtureError } from '../client/fixtures/errors.ts';
export { ApiError, MissingCredentialError, UnreachableError } from '../client/errors.ts';
export type * from './api.ts';
export { KycloneError, type KycloneErrorCode } from './errors.ts';

// A folder for the few files of an instance in memory: its lock, log, keys and sealed uploads.

/** The real one: a runner whose tests have a context of their own has put a copy there, which never ends. */
const realProcess = runInThisContext('process') as NodeJS.Process;

interface PrivateFolder {
  readonly path: string;
  remove(): void;
}

/** The folders of instances that were not closed. */
const kept = new Set<string>();

let release: () => void = () => undefined;

function removeKept(): void {
  for (const path of kept) rmSync(path, { recursive: true, force: true });
}

/**
 * Only this user may enter it. It is deleted by `remove`, at the end of the process, or by a later start when the process
 * was killed, as test runners do with their workers.
 */
function privateFolder(): PrivateFolder {
  const path = makeTemporaryFolder('testing');
  if (kept.size === 0) {
    realProcess.on('exit', removeKept);
    // A thread gets no signals.
    if (isMainThread) release = beforeSignals(removeKept, realProcess);
  }
  kept.add(path);
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true });
      kept.delete(path);
      if (kept.size > 0) return;
      realProcess.off('exit', removeKept);
      release();
    },
  };
}

// Loads the native module and prepares a store in advance, so that no test waits for it. The start reports errors.
attempt(() => openDatabase(':memory:').close());

const STOP_LIMIT_MS = 2_000;

/**
 * Starts an instance for a test. Several can run at once, even in one process. It reads no environment variables and
 * changes nothing in the process; until the last one is closed, a signal that ends the process removes their folders
 * first. Throws a `KycloneError`, or an `ApiError` for settings that the daemon refuses.
 */
export async function startKyclone(options: StartOptions = {}): Promise<Kyclone> {
  const checked = checkedOptions(options);
  let folder: PrivateFolder | undefined;
  let started: Running;
  try {
    folder = privateFolder();
    const { path } = folder;
    const bases = { data: join(path, 'data'), state: join(path, 'state'), config: join(path, 'config') };
    const paths = instancePaths(bases, 'default');
    started = running(await start(checked, paths), paths, folder);
  } catch (error) {
    folder?.remove();
    throw refusal(error);
  }
  return await assemble(started, checked);
}

async function start({ port = 0, seed, clockAt }: CheckedOptions, paths: InstancePaths): Promise<Daemon> {
  const daemon = await startDaemon({
    instance: 'default',
    ...ownPackage(),
    paths,
    port,
    isEphemeral: true,
    logFile: paths.logFile,
    settings: {},
    // A reader that a test has left behind must not delay the stop.
    limits: { drainLimitMs: STOP_LIMIT_MS },
    keySource: {
      keyFile: undefined,
      requireKeychain: false,
      environment: { key: undefined, passphrase: undefined },
      noKeychain: true,
    },
    ...defined({ seed, clockAt }),
  });
  daemon.unref();
  return daemon;
}

function running(daemon: Daemon, paths: InstancePaths, folder: PrivateFolder): Running {
  const { instance } = daemon;
  const { control_token: controlToken } = readJson(paths.locatorFile) as Locator;
  const keys = readJson(paths.credentialsFile) as { sandbox: string; live: string };
  return {
    port: instance.port,
    liveApiKey: keys.live,
    connection: { baseUrl: instance.url, apiKey: keys.sandbox, liveApiKey: keys.live, controlToken },
    async stop() {
      await daemon.stop();
      folder.remove();
    },
  };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function refusal(error: unknown): Error {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: string };
  if (code === 'port_taken') {
    return new KycloneError('port_taken', `${message ?? ''}: omit option port to get a free one`, {
      cause: error,
    });
  }
  return new KycloneError('start_failed', `The instance could not start: ${message ?? 'unknown'}`, {
    cause: error,
  });
}

// The `Kyclone` object that tests use: a running daemon seen through its API.

const EVERY_CALL = '/**';

function createFaults(client: Client): Faults {
  return {
    list: () => allPages((query) => client.call('GET /_kyclone/faults', { query })),
    add(rule, match = {}) {
      const given = typeof rule === 'string' ? preset(rule) : rule;
      checkObject(given, 'A fault rule is an object such as { status: 503 }, or the name of a preset');
      checkObject(match, "The match of a fault rule is an object such as { path: '/users/*' }");
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

interface Running {
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
async function assemble(running: Running, options: CheckedOptions): Promise<Kyclone> {
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
  let outputs: Kyclone['outputs'] = {};

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
    get outputs() {
      return outputs;
    },

    async tenant(name): Promise<Tenant> {
      const own = name ?? `tenant-${++tenants}`;
      const key = await newKey(own, 'sandbox');
      return {
        name: own,
        apiKey: key,
        liveApiKey: await newKey(own, 'live'),
        client: guardedClient({ ...connection, apiKey: key }, checkOpen, own),
        waitFor: (kind, waiting) => kyclone.waitFor(kind, { ...waiting, tenant: own }),
      };
    },

    async reset(resetting = {}) {
      checkNames(resetting, ['seed', 'hard']);
      const { seed, hard } = resetting;
      const body = defined({ seed, hard });
      await client.call('POST /_kyclone/reset', { body });
      events.restore(new Set());
      if (options.clockAt !== undefined) await clock.freeze(new Date(options.clockAt));
      if (hard) await applySettings();
      outputs = await runFixtureFiles(options, client);
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
    outputs = await runFixtureFiles(options, client);
  } catch (error) {
    await kyclone.close();
    throw error;
  }
  return kyclone;
}

/** Runs the fixture files one after another. Returns their outputs, which later files may use. Throws FixtureError. */
async function runFixtureFiles(
  { fixtures: files = [], set = {} }: CheckedOptions,
  client: Client,
): Promise<Kyclone['outputs']> {
  if (files.length + Object.keys(set).length === 0) return {};
  // Loaded on demand: most tests have no fixtures.
  const { loadFixture, runInTurn } = await import('../client/fixtures/index.ts');
  const fixtures = files.map(loadFixture);
  const unknown = Object.keys(set).find((name) => !fixtures.some(({ vars }) => Object.hasOwn(vars, name)));
  if (unknown !== undefined)
    throw new KycloneError('invalid_option', `Option set: no fixture declares ${unknown} under vars`);
  return (await runInTurn(fixtures, { client, set })).outputs;
}

function createClock(client: Client): Clock {
  async function move(body: RequestOf<'PUT /_kyclone/clock'>['body']): Promise<Date> {
    return new Date((await client.call('PUT /_kyclone/clock', { body })).now);
  }

  return {
    now: async () => new Date((await client.call('GET /_kyclone/clock')).now),
    freeze: async (at) =>
      await move(
        defined({ action: 'freeze', at: at === undefined ? at : isoTime(at, 'The time to freeze at') }),
      ),
    set: async (at) => await move({ action: 'set', at: isoTime(at, 'The time to set') }),
    advance: (by) => move({ action: 'advance', by }),
    resume: () => move({ action: 'resume' }),
  };
}

/** A client that calls `check` before every call; `check` may throw. Its control calls are about `tenant`. */
function guardedClient(connection: Connection, check: () => void, tenant?: string): Client {
  type Method = (...options: readonly unknown[]) => Promise<unknown>;
  const methods = Object.entries(createClient(connection) as unknown as Record<string, Method>);
  const guarded = methods.map(([name, method]): [string, Method] => [
    name,
    async (key, options, ...rest) => {
      check();
      return await method(key, tenant === undefined ? options : inTenant(tenant, key, options), ...rest);
    },
  ]);
  return Object.fromEntries(guarded) as unknown as Client;
}

/** The options with `tenant` in query or body, where the endpoint takes it and the call doesn't name one. */
function inTenant(tenant: string, key: unknown, options: unknown): unknown {
  const endpoint = endpoints.find((each) => each.key === key);
  const takesTenant = (schema?: TSchema) => Object.hasOwn((schema?.['properties'] ?? {}) as object, 'tenant');
  const part = (['query', 'body'] as const).find((each) => takesTenant(endpoint?.[each]));
  if (part === undefined) return options;
  const given = options as Partial<Record<typeof part, object>> | undefined;
  return { ...given, [part]: { tenant, ...defined(given?.[part] ?? {}) } };
}
