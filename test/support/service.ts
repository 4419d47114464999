/**
 * The real service inside the test's process: real SQLite in memory, real keys, and the real HTTP app without its
 * socket. Only the time is frozen, and the ids are seeded. Every answer is checked against the promises of contract
 * §0.5 and §0.7.
 */
import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import inject, { type DispatchFunc, type InjectOptions } from 'light-my-request';
import { expect } from 'vitest';
import { ERRORS } from '../../src/contract/errors.ts';
import { errorCodesOf } from '../../src/contract/openapi-responses.ts';
import {
  endpoints,
  splitKey,
  type AnswerOf,
  type EndpointKey,
  type RequestOf,
} from '../../src/contract/registry.ts';
import type { SettingsPatch } from '../../src/nouns/settings/endpoints/index.ts';
import type { ErrorBody } from '../../src/contract/shapes.ts';
import type { Parts as Composition } from '../../src/daemon/composition.ts';
import { createListener } from '../../src/daemon/listen.ts';
import { startRuntime } from '../../src/daemon/runtime.ts';
import { memoryStore } from '../../src/daemon/store-home.ts';
import type { ServerLimits } from '../../src/http/limits.ts';
import { frozenClock } from './frozen-clock.ts';
import { createRandomness, secretBytes } from '../../src/kernel/ids/random.ts';
import type { Instance } from '../../src/nouns/control/service/index.ts';
import { createTurns } from '../../src/nouns/snapshots/service/index.ts';
import { createBlobStore, type BlobStore } from '../../src/storage/blobs.ts';
import { createSnapshotFolder } from '../../src/storage/snapshot-folder.ts';
import { beginAccessLog } from '../../src/vault/access-log.ts';
import { KEY_BYTES } from '../../src/vault/envelope.ts';
import { createKeyring } from '../../src/vault/keyring/keyring.ts';
import { aBusiness, aKey, aUser } from './builders.ts';
import { tempDir } from './temp-dir.ts';

export const PORT = 4010;
export const HOST = `127.0.0.1:${PORT}`;
export const NOON = Date.UTC(2026, 2, 1, 12);
export const CONTROL_TOKEN = 'k'.repeat(43);
export const SANDBOX_KEY = `sk_test_${'a'.repeat(32)}`;
export const LIVE_KEY = `sk_live_${'b'.repeat(32)}`;

const CATALOGUE: Readonly<Record<string, { status: number }>> = ERRORS;

export interface RawRequest {
  readonly method: string;
  /** The path with its query, as it is sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body. Text and bytes are sent unchanged, anything else as JSON. Bytes have no content type. */
  readonly body?: unknown;
  /** The key or token to send; null sends none. By default it is the key or control token that the path requires. */
  readonly as?: string | null;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The bytes of the body as they were received. */
  readonly bytes: Buffer;
  /** The parsed body, or undefined when it is no JSON. */
  readonly body: unknown;
}

export interface Answered<K extends EndpointKey> {
  readonly body: AnswerOf<K>;
  readonly headers: Readonly<Record<string, string>>;
  /** x-fp-vault-version, or undefined when the answer has none. */
  readonly version: number | undefined;
  readonly requestId: string;
}

export interface Refused extends ErrorBody {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

type Scalar = string | number | boolean;
type Values = Readonly<Record<string, unknown>>;
type Loose<Part> = { readonly [Name in keyof Part]?: Part[Name] | undefined };
export interface Parts<K extends EndpointKey> {
  readonly params?: RequestOf<K>['params'];
  readonly query?: Loose<RequestOf<K>['query']>;
  readonly headers?: Loose<RequestOf<K>['headers']>;
  readonly body?: RequestOf<K>['body'];
  readonly as?: string | null | undefined;
}
/** A request that need not fit its types. */
export interface LooseParts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly as?: string | null | undefined;
}

export type TestService = Awaited<ReturnType<typeof startService>>;

export interface ServiceOptions {
  readonly seed?: string;
  readonly settings?: SettingsPatch;
  /** Host names that the service accepts besides loopback. */
  readonly hosts?: string[];
  /** How host names are resolved, and how long the proxy waits for an answer. */
  readonly outside?: Composition['outside'];
  /** Wraps the store of files. A test controls with it what happens between two steps of the store. */
  readonly blobs?: (store: BlobStore) => BlobStore;
  /** Limits per client that differ from the defaults. */
  readonly limits?: Partial<ServerLimits>;
  /** KYCLONE_SNAPSHOT_KEY; by default the key is in a file of the test. */
  readonly snapshotKey?: string;
}

export async function startService({
  seed = 'a test',
  settings = {},
  hosts = [],
  outside = {},
  blobs = (store) => store,
  limits,
  snapshotKey,
}: ServiceOptions = {}) {
  const clock = frozenClock(NOON);
  const store = memoryStore();
  const database = store.open();
  const instance: Instance = {
    name: 'default',
    version: '0.0.0-test',
    pid: process.pid,
    nonce: 'n'.repeat(24),
    storage: 'ephemeral',
    startedAt: clock.realNow(),
    host: undefined,
    port: PORT,
    url: `http://${HOST}`,
    readiness: { ready: true },
  };
  const log: Readonly<Record<string, unknown>>[] = [];
  const random = createRandomness(seed);
  const folder = tempDir();
  const vaultKey = secretBytes(KEY_BYTES);
  const filesFolder = join(folder.path, 'files');
  const snapshotsFolder = join(folder.path, 'snapshots');
  const runtime = await startRuntime({
    store,
    database,
    snapshots: {
      folder: createSnapshotFolder({ folder: snapshotsFolder, isDurable: false }),
      turns: createTurns(),
      key: { environment: snapshotKey, file: join(folder.path, 'snapshot.key'), dataDirectory: undefined },
    },
    blobs: blobs(createBlobStore({ folder: filesFolder, isDurable: false })),
    keyring: database.transaction(() => {
      const made = createKeyring({ database, vaultKey, keyFilePlace: undefined, now: clock.now() });
      beginAccessLog(database, made.instanceKey('access log'));
      return made;
    })(),
    clock,
    random,
    instance,
    localKeys: { sandbox: SANDBOX_KEY, live: LIVE_KEY },
    controlToken: CONTROL_TOKEN,
    settings: { ...settings, ...(hosts.length > 0 && { hosts }) },
    log: (line) => void log.push(line),
    outside,
    limits,
    daemonScriptFile: join(import.meta.dirname, '../../bin/kycloned.js'),
    builtFile: (name) => readFile(join(import.meta.dirname, '../../dist', name), 'utf8'),
  });
  let server: Server | undefined;
  runtime.begin();

  /** Handles a request without a socket. */
  const handle: DispatchFunc = (request, response) => {
    // Node's parser sets this on a request that has arrived completely.
    if (!('complete' in request)) Object.assign(request, { complete: true });
    void runtime.service.app.handle(request, response);
  };
  const injected = (options: InjectOptions) => inject(handle, options);

  async function send({ method, path, headers = {}, body, as }: RawRequest): Promise<Reply> {
    const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
    await runtime.ready();
    const response = await injected({
      method: method as NonNullable<InjectOptions['method']>,
      url: path,
      headers: {
        host: `127.0.0.1:${instance.port}`,
        ...credential(path, as),
        ...contentType(body),
        ...headers,
      },
      ...(body !== undefined && { payload: isRaw ? body : JSON.stringify(body) }),
    });
    const reply = readReply(response.statusCode, response.headers, response.rawPayload);
    if (method !== 'HEAD') expectPromisesKept(reply);
    return reply;
  }

  const calls = callsThrough(send);

  return {
    inject: injected,
    /** The server that `listen` has started. */
    get server() {
      return server;
    },
    get queue() {
      return runtime.service.queue;
    },
    get database() {
      return runtime.database;
    },
    /** The part that answers requests. It stays when the store is replaced. */
    runtime,
    flush: () => runtime.service.flush(),
    clock,
    instance,
    /** The vault's own key. A test makes with it what otherwise only the vault can make. */
    vaultKey,
    /** The randomness. Its `restart` starts the seeded ids again, as another start on the same store does. */
    random,
    /** The folder of sealed files. */
    filesFolder,
    snapshotsFolder,
    /** The log lines so far. */
    log,
    send,
    /** Opens a port, for tests that need a socket. Injected requests keep working. */
    async listen(): Promise<{ host: string; port: number }> {
      const host = '127.0.0.1';
      const listener = (server = createListener(runtime));
      await new Promise<void>((resolve) => listener.listen({ host, port: 0 }, resolve));
      instance.port = (listener.address() as AddressInfo).port;
      return { host, port: instance.port };
    },
    ...calls,
    async [Symbol.asyncDispose](): Promise<void> {
      await runtime.stopLoading();
      const { service } = runtime;
      await service.quiesce();
      const closed = new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
      // A connection becomes idle shortly after its answer was read, so this repeats.
      const sweeping = setInterval(() => server?.closeIdleConnections(), 10);
      await closed;
      clearInterval(sweeping);
      // Like a daemon that stops, this ignores a failure: a damaged store accepts no more writes.
      await service.flush().catch(() => undefined);
      service.queue.close();
      runtime.database.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Returns calls by endpoint key. `send` sends them, by injection or over a socket. */
export function callsThrough(send: (request: RawRequest) => Promise<Reply>) {
  /** Makes any call. When it fails, its code must be one that the endpoint documents. */
  async function request(key: EndpointKey, parts: LooseParts): Promise<Reply> {
    const reply = await send(asRaw(key, parts));
    const { code } = (reply.body ?? {}) as Partial<ErrorBody>;
    if (reply.status >= 400 && code !== undefined) expect(documentedCodes(key), key).toContain(code);
    return reply;
  }

  /** Makes a call that must succeed, and returns the answer. */
  async function call<K extends EndpointKey>(key: K, parts: Parts<K> = {}): Promise<Answered<K>> {
    const reply = await request(key, parts);
    if (reply.status !== 200) throw new Error(`${key} answered ${reply.status}: ${reply.text}`);
    const version = reply.headers['x-fp-vault-version'];
    return {
      body: reply.body as AnswerOf<K>,
      headers: reply.headers,
      version: version === undefined ? undefined : Number(version),
      requestId: reply.headers['x-request-id'] ?? '',
    };
  }

  /** Makes a call that must fail, and returns the failure. The parts need not fit their types. */
  async function refused(key: EndpointKey, parts: LooseParts = {}): Promise<Refused> {
    return asRefusal(await request(key, parts), key);
  }

  return {
    request,
    call,
    refused,
    /** Makes a user in the default sandbox, by default with the ten identifiers of `aUser()`. */
    async user(data: Record<string, unknown> = aUser(), as?: string): Promise<string> {
      return (await call('POST /users', { body: data, as })).body.id;
    },
    async business(data: Record<string, unknown> = aBusiness(), as?: string): Promise<string> {
      return (await call('POST /businesses', { body: data, as })).body.id;
    },
    /** Makes a client token of a user or business, and returns it. */
    async token(fpId: string, body: Values, as?: string): Promise<string> {
      const isUser = fpId.startsWith('fp_id_');
      const key = isUser ? 'POST /users/{fp_id}/client_token' : 'POST /businesses/{fp_bid}/client_token';
      const reply = await request(key, { params: { [isUser ? 'fp_id' : 'fp_bid']: fpId }, body, as });
      if (reply.status !== 200) throw new Error(`no token: ${reply.text}`);
      return (reply.body as { token: string }).token;
    },
    /** Stores bytes under an identifier with the secret key. Returns the new vault version. */
    async upload(
      fpId: string,
      identifier: string,
      bytes: Buffer,
      contentType = 'image/png',
    ): Promise<number> {
      const kind = fpId.startsWith('fp_id_') ? 'users' : 'businesses';
      const path = `/${kind}/${fpId}/vault/${identifier}/upload`;
      const reply = await send({
        method: 'POST',
        path,
        headers: { 'content-type': contentType },
        body: bytes,
      });
      if (reply.status !== 200) throw new Error(`no upload: ${reply.text}`);
      return Number(reply.headers['x-fp-vault-version']);
    },
    /** Makes an API key and returns it. */
    async key(options: Parameters<typeof aKey>[0] = {}): Promise<string> {
      return (await call('POST /_kyclone/api-keys', { body: aKey(options) })).body.key;
    },
  };
}

/**
 * Turns an endpoint key such as `POST /users/{fp_id}/vault` and its parts into a method, a path with its query, headers
 * and a body.
 */
export function asRaw(
  key: EndpointKey,
  { params = {}, query = {}, headers = {}, body, as }: LooseParts,
): RawRequest {
  const { method, path } = splitKey(key);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${key} needs the parameter ${name}`);
    return encodeURIComponent(value);
  });
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value as Scalar)}`],
  );
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return {
    method,
    path: filled + (pairs.length > 0 ? `?${pairs.join('&')}` : ''),
    headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value as Scalar)])),
    ...(body !== undefined && { body }),
    ...(as !== undefined && { as }),
  };
}

function documentedCodes(key: EndpointKey): readonly string[] {
  const endpoint = endpoints.find((each) => each.key === key);
  if (!endpoint) throw new Error(`no endpoint ${key}`);
  return errorCodesOf(endpoint);
}

/** Returns a reply as a failure. Throws when the reply is a success. */
export function asRefusal(reply: Reply, what: string): Refused {
  if (reply.status < 400) throw new Error(`${what} succeeded: ${reply.status} ${reply.text}`);
  return { status: reply.status, headers: reply.headers, ...(reply.body as ErrorBody) };
}

/** What matches a refusal with this status and code, and with `named` in its message. */
export function failureOf(status: number, code: keyof typeof ERRORS, named?: string) {
  return { status, code, ...(named !== undefined && { message: expect.stringContaining(named) as string }) };
}

export function readReply(status: number, headers: object, content: string | Buffer): Reply {
  const isJson = /^application\/json/.test(
    (headers as Record<string, string | undefined>)['content-type'] ?? '',
  );
  const bytes = Buffer.from(content);
  const text = bytes.toString('utf8');
  return {
    status,
    headers: headers as Readonly<Record<string, string>>,
    text,
    bytes,
    // A reflected template keeps its byte order mark.
    body: isJson && text !== '' ? (JSON.parse(text.replace(/^\ufeff/, '')) as unknown) : undefined,
  };
}

/** Checks what every answer promises (contract §0.5, §0.7). */
export function expectPromisesKept(reply: Reply): void {
  expect(reply.headers['x-request-id']).toMatch(/^req_[0-9A-Za-z]{22}$/);
  expect(reply.headers['cache-control']).toBe('no-store');
  expect(reply.headers['x-content-type-options']).toBe('nosniff');
  const isReadiness = reply.status === 503 && (reply.body as { ready?: boolean }).ready === false;
  if (reply.status < 400 || isReadiness) return;
  const { code, message, context, ...rest } = reply.body as ErrorBody;
  // A fault rule sets the status of its answer.
  if (code !== 'fault_injected') expect(CATALOGUE[code]?.status, `status of ${code}`).toBe(reply.status);
  expect(message).toEqual(expect.any(String));
  expect(message).not.toBe('');
  for (const reason of Object.values(context ?? {})) expect(reason).toEqual(expect.any(String));
  expect(rest).toEqual({});
}

/**
 * Returns the header with the credential: the given one, or the key or control token that the path requires. Returns
 * none for null.
 */
export function credential(
  path: string,
  as: string | null | undefined,
  own = { controlToken: CONTROL_TOKEN, key: SANDBOX_KEY },
): Record<string, string> {
  if (as === null) return {};
  if (path.startsWith('/_kyclone/')) return { authorization: `Bearer ${as ?? own.controlToken}` };
  if (/^\/(?:users\/(?:vault|client_token)|hosted)(?:[/?]|$)/.test(path)) {
    return as === undefined ? {} : { 'x-fp-authorization': as };
  }
  return { 'x-service-secret-key': as ?? own.key };
}

/** Returns the content-type header. Bytes have none, because the test chooses their type. */
export function contentType(body: unknown): Record<string, string> {
  return body === undefined || Buffer.isBuffer(body) ? {} : { 'content-type': 'application/json' };
}
