/**
 * The HTTP side of the service: a request passes guards, authentication, its body and its schemas, then a handler,
 * in the order of contract §0.4; the first check that fails answers.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { JSON_BODY_LIMIT_BYTES, REQUEST_HEAD_LIMIT_BYTES, type Endpoint } from '../contract/endpoint.ts';
import type { Answer } from '../contract/handler.ts';
import { endpoints, splitKey, type Key } from '../contract/registry.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Randomness } from '../kernel/random.ts';
import { MIB, MINUTE_MS } from '../kernel/units.ts';
import { requirePermission, requireScope, type ApiKeys, type Caller } from '../resources/api-keys/index.ts';
import type { Instance } from '../resources/emulator/index.ts';
import { getEntity, type EntityRow } from '../resources/entities/index.ts';
import type { Handlers } from '../resources/handlers.ts';
import type { Journal } from '../resources/requests/index.ts';
import type { LiveSettings } from '../resources/settings/index.ts';
import type { Database } from '../storage/database.ts';
import { authenticateControl, authenticateKey } from './authentication.ts';
import { asServiceError, errorAnswer } from './errors.ts';
import { guardHost, guardOrigin } from './guards.ts';
import { isJsonType, parseJsonBody } from './json-body.ts';
import { journalEntry, type Exchange } from './recording.ts';
import { readHeaders, readQuery, requireValid } from './validation.ts';

export interface AppContext {
  readonly database: Database;
  readonly handlers: Handlers<Key>;
  readonly apiKeys: ApiKeys;
  readonly settings: LiveSettings;
  readonly journal: Journal;
  readonly instance: Instance;
  readonly clock: Clock;
  readonly random: Randomness;
  /** SHA-256 of the control token. */
  readonly controlTokenDigest: Buffer;
  /** One line for each request, allow-listed fields only (DESIGN §7). */
  readonly log: (line: Readonly<Record<string, string | number | null | undefined>>) => void;
}

/** Names and values every answer carries (contract §0.7). */
const ALWAYS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;
/**
 * For every server of the app. A missing Host is left to our guard, which answers as JSON. Repeated headers are joined
 * instead of dropped, so that a second Authorization makes the credential malformed and is not overlooked.
 */
export const HTTP_SERVER_OPTIONS = {
  maxHeaderSize: REQUEST_HEAD_LIMIT_BYTES,
  requireHostHeader: false,
  joinDuplicateHeaders: true,
} as const;
/** Never called, since no route has a schema of fastify's. */
const NO_COMPILER = (() => undefined) as never;
const MAX_PATH_PARAMETER = 512;
const UNMATCHED_BODY_LIMIT_BYTES = MIB;

type Next = (error?: Error) => void;

export function createApp(context: AppContext): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: UNMATCHED_BODY_LIMIT_BYTES,
    genReqId: () => newId('request', context.random),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PATH_PARAMETER },
    http: HTTP_SERVER_OPTIONS,
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, newId('request', context.random)),
    frameworkErrors: (_error, request, reply) => answerUnroutable(request, reply),
    // Schemas are checked by the contract's own validators; these keep fastify from loading its compilers.
    schemaController: {
      compilersFactory: { buildValidator: NO_COMPILER, buildSerializer: NO_COMPILER },
    },
    return503OnClosing: false,
    requestTimeout: MINUTE_MS,
    forceCloseConnections: 'idle',
  });
  // Set by the first hook, which no request passes by; the decoration gives every request the same shape.
  app.decorateRequest('exchange', undefined as unknown as Exchange);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  // An expectation other than 100-continue is not ours to meet; Node would answer it without our headers.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));

  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, next: Next) => {
    admit(request, reply);
    next();
  });
  app.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, next: Next) => {
    record(context, request, reply.statusCode);
    next();
  });
  app.setErrorHandler((error, request, reply) => fail(request, reply, error));
  for (const endpoint of endpoints) bind(endpoint);
  return app;

  function admit(request: FastifyRequest, reply: FastifyReply): void {
    request.exchange = { startedAt: performance.now(), at: context.clock.now() };
    reply.headers(ALWAYS).header('x-request-id', request.id);
    const { port, host } = context.instance;
    const served = { port, host, hosts: context.settings.current.hosts };
    guardHost(request.raw, served);
    guardOrigin(request.raw, served);
    guardReadiness(request, context.instance);
    // Here and not in a not-found handler, which would have the body read and judged first.
    if (request.is404) refusePath(request, reply);
  }

  function refusePath(request: FastifyRequest, reply: FastifyReply): never {
    const allowed = allowedMethods(request.url);
    if (allowed.length === 0 || allowed.includes(request.method)) throw pathNotFound();
    reply.header('allow', allowed.join(', '));
    throw new ServiceError('method_not_allowed', `This path answers ${allowed.join(', ')}`);
  }

  /** A path that can't be percent-decoded or has a segment longer than any id: the router gives up before any hook. */
  function answerUnroutable(request: FastifyRequest, reply: FastifyReply): void {
    try {
      admit(request, reply);
    } catch (refusal) {
      fail(request, reply, refusal);
    }
    record(context, request, reply.statusCode);
  }

  function bind(endpoint: Endpoint & { key: Key }): void {
    const { method, path } = splitKey(endpoint.key);
    const handler = context.handlers[endpoint.key] as (
      request: unknown,
    ) => Answer<unknown> | Promise<Answer<unknown>>;
    const entityParameter = path.startsWith('/_kyclone/') ? undefined : /\{(fp_id|fp_bid)\}/.exec(path)?.[1];
    const kind = path.startsWith('/businesses') ? 'business' : 'user';

    app.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit: endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES,
      onRequest(request, _reply, next) {
        const { exchange } = request;
        exchange.endpoint = endpoint;
        exchange.route = path;
        const params = request.params as Record<string, string>;
        if (entityParameter) requireEntityId(params[entityParameter]);
        authenticate(request, endpoint, exchange);
        requireBodyType(request, endpoint);
        next();
      },
      async handler(request, reply) {
        const { exchange } = request;
        const body = endpoint.body ? parseJsonBody(request.body as Buffer | undefined) : undefined;
        exchange.requestBody = body;
        const params = request.params as Record<string, string>;
        const entity = entityParameter
          ? pathEntity(params[entityParameter], exchange.caller, kind)
          : undefined;
        const answer = await handler({
          requestId: request.id,
          caller: exchange.caller,
          entity,
          params,
          query: readQuery(endpoint.query, request.query as Record<string, unknown>),
          headers: readHeaders(endpoint.headers, request.headers),
          body: checkedBody(endpoint, body),
        });
        exchange.responseBody = endpoint.produces === undefined ? answer.body : undefined;
        if (answer.headers) reply.headers(answer.headers);
        reply.code(answer.status ?? 200);
        if (endpoint.produces !== undefined) return reply.type(endpoint.produces).send(answer.body);
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer.body));
      },
    });
  }

  function authenticate(request: FastifyRequest, endpoint: Endpoint, exchange: Exchange): void {
    const { auth } = endpoint;
    if (auth.kind === 'open') return;
    if (auth.kind === 'control') {
      authenticateControl(request.headers, context.controlTokenDigest);
      return;
    }
    const { secret_key_header } = context.settings.current.vocabulary;
    const caller = authenticateKey(request.headers, context.apiKeys, secret_key_header);
    exchange.caller = caller;
    if (auth.scope) requireScope(caller, auth.scope);
    if (auth.permission) requirePermission(caller, auth.permission);
  }

  function pathEntity(
    id: string | undefined,
    caller: Caller | undefined,
    kind: EntityRow['kind'],
  ): EntityRow {
    if (!caller || id === undefined) throw new Error('an entity endpoint was reached without a caller');
    return getEntity(context.database, caller, id, kind);
  }

  function fail(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const known = asServiceError(error);
    const { status, body } = errorAnswer(known);
    const { exchange } = request;
    exchange.code = known.code;
    exchange.responseBody = body;
    exchange.failure = known;
    if (status === 401) reply.header('www-authenticate', challenge(request.url));
    if (status === 413) body.message = `The body is over the limit of ${limitOf(exchange)} bytes`;
    void reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}

function limitOf(exchange: Exchange): number {
  if (!exchange.endpoint) return UNMATCHED_BODY_LIMIT_BYTES;
  return exchange.endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES;
}

function challenge(url: string): string {
  return url.startsWith('/_kyclone/') ? 'Bearer' : 'Basic realm="secret key as user name"';
}

const ENTITY_ID = /^fp_[A-Za-z0-9_]{1,200}$/;

/** The route is for entity ids only; anything else is a path nobody serves (contract §0.6). */
function requireEntityId(id: string | undefined): void {
  if (id === undefined || !ENTITY_ID.test(id)) throw pathNotFound();
}

function pathNotFound(): ServiceError {
  return new ServiceError('not_found', 'No endpoint has this path');
}

const ALWAYS_SERVED = new Set<string | undefined>(['/_kyclone/health', '/_kyclone/ready']);

function guardReadiness(request: FastifyRequest, { readiness }: Instance): void {
  if (readiness.ready || ALWAYS_SERVED.has(request.routeOptions.url)) return;
  const code = readiness.reason === 'sealed' ? 'sealed' : 'not_ready';
  throw new ServiceError(code, `The instance does not serve requests now: ${readiness.reason}`);
}

function requireBodyType(request: FastifyRequest, endpoint: Endpoint): void {
  const type = request.headers['content-type'];
  if (!endpoint.body || type === undefined || isJsonType(type)) return;
  const length = request.headers['content-length'];
  const isEmpty =
    request.headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
  if (isEmpty) return;
  throw new ServiceError('unsupported_media_type', 'The content type must be application/json');
}

function checkedBody(endpoint: Endpoint, body: unknown): unknown {
  if (!endpoint.body) return undefined;
  if (body === undefined) {
    if (endpoint.bodyOptional) return undefined;
    throw new ServiceError('invalid_request', 'A JSON body is required');
  }
  requireValid(endpoint.body, body, 'Member');
  return body;
}

const templates = endpoints.map(({ key }) => {
  const { method, path } = splitKey(key);
  return { method, segments: path.split('/') };
});

/** The methods of the endpoints that have this path; HEAD goes with GET. */
function allowedMethods(url: string): string[] {
  const segments = (url.split('?')[0] ?? '').replace(/\/$/, '').split('/');
  const methods = new Set<string>();
  for (const template of templates) {
    const fits =
      template.segments.length === segments.length &&
      template.segments.every((segment, index) => matchesSegment(segment, segments[index] ?? ''));
    if (!fits) continue;
    methods.add(template.method);
    if (template.method === 'GET') methods.add('HEAD');
  }
  return [...methods];
}

function matchesSegment(template: string, segment: string): boolean {
  if (template === '{fp_id}' || template === '{fp_bid}') return ENTITY_ID.test(segment);
  return template.startsWith('{') ? segment !== '' : template === segment;
}

function record(context: AppContext, request: FastifyRequest, status: number): void {
  const entry = journalEntry(request, status);
  context.journal.add(entry);
  context.log({
    level: status >= 500 ? 'error' : 'info',
    request_id: entry.id,
    method: entry.method,
    route: entry.route,
    status,
    code: entry.code,
    ms: entry.ms,
    key_id: entry.key_id,
    failure: status >= 500 ? traceOf(request.exchange.failure) : undefined,
  });
}

/** Where a failure came from, without its message, which could hold anything. */
function traceOf(failure: ServiceError | undefined): string | undefined {
  const cause = failure?.cause instanceof Error ? failure.cause : failure;
  const frames = cause?.stack?.split('\n').filter((line) => line.trimStart().startsWith('at '));
  return cause && [cause.name, ...(frames ?? []).slice(0, 12).map((line) => line.trim())].join(' | ');
}

/** Requests Node could not read: over the header limit, or no HTTP at all. */
function answerUnreadable(
  error: Error & { code?: string },
  socket: NodeJS.WritableStream & { writable: boolean; destroy(): void },
  requestId: string,
): void {
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, body } = errorAnswer(
    isTooLarge
      ? new ServiceError('headers_too_large', 'The request head is over 64 KiB')
      : new ServiceError('invalid_request', 'The request is not valid HTTP'),
  );
  const text = JSON.stringify(body);
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status} ${isTooLarge ? 'Request Header Fields Too Large' : 'Bad Request'}\r\n` +
        `content-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n` +
        `cache-control: no-store\r\nx-content-type-options: nosniff\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
    );
  }
  socket.destroy();
}
