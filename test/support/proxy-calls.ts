/**
 * Calls of the vault proxy over a real socket, as a client makes them. Header lines may repeat, and bodies may be any
 * bytes.
 */
import { request as httpRequest } from 'node:http';
import { expect } from 'vitest';
import { errorCodesOf } from '../../src/contract/openapi-responses.ts';
import { endpoints, type AnswerOf, type EndpointKey } from '../../src/contract/registry.ts';
import {
  asRefusal,
  readReply,
  SANDBOX_KEY,
  startService,
  type Refused,
  type Reply,
  type ServiceOptions,
  type TestService,
} from './service.ts';

export interface ProxyParts {
  /** x-fp-proxy-target-url. */
  readonly target?: string | undefined;
  readonly pathAndQuery?: string;
  readonly method?: string;
  /** x-fp-id. */
  readonly id?: string | undefined;
  /** x-fp-proxy-access-reason; for `reflect` it is x-fp-access-reason. */
  readonly reason?: string;
  /** x-fp-proxy-fwd-<name>. */
  readonly forward?: Readonly<Record<string, string>>;
  /** Ingress rules, one header line each. They also set the ingress content type. */
  readonly rules?: readonly string[];
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The body. Text and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  /** The API key to send; null sends none. */
  readonly as?: string | null;
}

export interface ProxyReply extends Reply {
  readonly requestId: string;
  /** Returns each value of a header of the answer. */
  all(name: string): string[];
}

const JIT = 'POST /vault_proxy/jit';
const REFLECT = 'POST /vault_proxy/reflect';
const RENDER = 'POST /vault_proxy/render';
const STORED = 'POST /vault_proxy/{proxy_id}';
type ProxyKey = typeof JIT | typeof REFLECT | typeof RENDER | typeof STORED;

export type TestProxy = Awaited<ReturnType<typeof startProxy>>;

/** Starts the service on a port. The result has the calls of its proxy. */
export async function startProxy(options: ServiceOptions = {}) {
  const service = await startService(options);
  const { host, port } = await service.listen();
  const send = (key: ProxyKey, parts: ProxyParts, proxyId = '') =>
    sendProxy({ host, port, path: key.slice(5).replace('{proxy_id}', proxyId) }, key, parts);

  async function refused(
    key: ProxyKey,
    parts: ProxyParts,
    proxyId?: string,
  ): Promise<Refused & { requestId: string }> {
    const reply = await send(key, parts, proxyId);
    const refusal = asRefusal(reply, key);
    expect(documented(key)).toContain(refusal.code);
    return { ...refusal, requestId: reply.requestId };
  }

  async function rendered(parts: ProxyParts): Promise<AnswerOf<typeof RENDER> & { requestId: string }> {
    const reply = await send(RENDER, parts);
    if (reply.status !== 200) throw new Error(`render answered ${reply.status}: ${reply.text}`);
    return { ...(reply.body as AnswerOf<typeof RENDER>), requestId: reply.requestId };
  }

  return {
    service,
    port,
    jit: (parts: ProxyParts) => send(JIT, parts),
    reflect: (parts: ProxyParts) => send(REFLECT, parts),
    /** Calls the proxy with the stored configuration of this id. */
    stored: (proxyId: string, parts: ProxyParts) => send(STORED, parts, proxyId),
    refusedStored: (proxyId: string, parts: ProxyParts) => refused(STORED, parts, proxyId),
    render: rendered,
    refusedJit: (parts: ProxyParts) => refused(JIT, parts),
    refusedReflect: (parts: ProxyParts) => refused(REFLECT, parts),
    refusedRender: (parts: ProxyParts) => refused(RENDER, parts),
    explain: async ({ requestId }: { requestId: string }) =>
      (await service.call('GET /_kyclone/requests/{id}/proxy', { params: { id: requestId } })).body,
    journal: async ({ requestId }: { requestId: string }) =>
      (await service.call('GET /_kyclone/requests/{id}', { params: { id: requestId } })).body,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

function documented(key: ProxyKey): readonly string[] {
  const endpoint = endpoints.find((each) => each.key === (key as EndpointKey));
  return endpoint ? errorCodesOf(endpoint) : [];
}

type HeaderLines = Record<string, string | readonly string[]>;

/** Returns the header lines of a call. */
export function proxyHeaders(key: ProxyKey, parts: ProxyParts): HeaderLines {
  const { target, pathAndQuery, method, id, reason, forward = {}, rules = [], headers = {}, as } = parts;
  return {
    ...(as !== null && { 'x-service-secret-key': as ?? SANDBOX_KEY }),
    ...(target !== undefined && { 'x-fp-proxy-target-url': target }),
    ...(pathAndQuery !== undefined && { 'x-fp-path-and-query': pathAndQuery }),
    ...(method !== undefined && { 'x-fp-proxy-method': method }),
    ...(id !== undefined && { 'x-fp-id': id }),
    ...(reason !== undefined && {
      [key === REFLECT ? 'x-fp-access-reason' : 'x-fp-proxy-access-reason']: reason,
    }),
    ...Object.fromEntries(Object.entries(forward).map(([name, value]) => [`x-fp-proxy-fwd-${name}`, value])),
    ...(rules.length > 0 && { 'x-fp-proxy-ingress-rule': rules, 'x-fp-proxy-ingress-content-type': 'json' }),
    ...headers,
  };
}

function sendProxy(
  place: { host: string; port: number; path: string },
  key: ProxyKey,
  parts: ProxyParts,
): Promise<ProxyReply> {
  return new Promise((resolve, reject) => {
    const headers = proxyHeaders(key, parts) as Record<string, string | string[]>;
    const outgoing = httpRequest({ ...place, method: 'POST', headers, agent: false });
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('error', reject);
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const reply = readReply(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(chunks));
        const requestId = reply.headers['x-request-id'] ?? '';
        const all = (name: string) => incoming.headersDistinct[name] ?? [];
        resolve({ ...reply, requestId, all });
      });
    });
    outgoing.end(bytesOf(parts.body));
  });
}

/** Returns the body as bytes, because Node writes the head as UTF-8 when the body is a text. */
export function bytesOf(body: unknown): Buffer | undefined {
  if (body === undefined || Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body), 'utf8');
}

/** Splits a request that a raw target received into its head and its body. */
export function partsOf(received: Buffer | undefined): { head: string; body: Buffer } {
  const bytes = received ?? Buffer.alloc(0);
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) throw new Error('no whole head was received');
  return { head: bytes.subarray(0, end).toString('latin1'), body: bytes.subarray(end + 4) };
}

/** Makes an API key with these permissions and scopes, and returns it (`sk_test_…`). */
export async function aKeyThatMay(
  service: TestService,
  permissions: readonly string[],
  scopes: readonly string[] = ['preview:vault_proxy_jit'],
): Promise<string> {
  return await service.key({ permissions: [...permissions], scopes: [...scopes] } as Parameters<
    TestService['key']
  >[0]);
}
