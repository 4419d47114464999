/**
 * The HTTP side of the service: a request passes guards, authentication, its body and its schemas, then a handler,
 * in the order of contract §0.4; the first check that fails answers.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { JSON_BODY_LIMIT_BYTES, REQUEST_HEAD_LIMIT_BYTES, type Endpoint } from '../contract/endpoint.ts';
import type { Answer } from '../contract/handler.ts';
import type { Key } from '../contract/registry.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Randomness } from '../kernel/random.ts';
import { MINUTE_MS } from '../kernel/units.ts';
import type { Caller, TokenCaller } from '../resources/api-keys/index.ts';
import { getLink } from '../resources/bank-links/index.ts';
import type { Instance } from '../resources/emulator/index.ts';
import { getEntity, noSuchEntity, type EntityRow } from '../resources/entities/index.ts';
import type { FaultRule, Faults } from '../resources/faults/index.ts';
import type { Handlers } from '../resources/handlers.ts';
import type { Database } from '../storage/database.ts';
import { admit, challenge, logRefusal, type AdmissionContext } from './admission.ts';
import { collectBody } from './body.ts';
import { isClosed, onceClosed } from './client-gone.ts';
import { corsHeaders, isPreflight, isTokenPath, preflightHeaders } from './cors.ts';
import { asServiceError, errorAnswer } from './errors.ts';
import { DEFAULT_FAULT_CODE, findFault, suffer } from './faults.ts';
import { guardHost, guardOrigin } from './guards.ts';
import { isJsonType, parseJsonBody } from './json-body.ts';
import { nearestMethod, nearestRoute, routeOfOtherKind } from './near-misses.ts';
import type { Exchange } from './recording.ts';
import { findRoute, type Match, type Route } from './router.ts';
import { sendContent, sendJson } from './sending.ts';
import { answerUnreadable } from './unreadable.ts';
import { tell, type TellingContext } from './telling.ts';
import { readUpload } from './upload.ts';
import { readHeaders, readQuery, requireValid } from './validation.ts';

export interface AppContext extends AdmissionContext, TellingContext {
  readonly database: Database;
  readonly handlers: Handlers<Key>;
  readonly faults: Faults;
  readonly instance: Instance;
  readonly random: Randomness;
  /** Whether the store was taken away: what fails from then on fails for that. */
  readonly hasRetired: () => boolean;
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

/** As many headers as fit into a head: Node would leave those behind the 2,000th out without a word. */
export function liftHeaderCount(server: { maxHeadersCount: number | null }): void {
  server.maxHeadersCount = 0;
}
/** Never called, since no route has a schema of fastify's. */
const NO_COMPILER = (() => undefined) as never;
/** All that an endpoint may have, and those that are answered with what a path allows. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

type Next = (error?: Error) => void;

export function createApp(context: AppContext): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: () => newId('request', context.random),
    http: HTTP_SERVER_OPTIONS,
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, newId('request', context.random)),
    frameworkErrors: (_error, request, reply) => answerUnroutable(request, reply),
    // Schemas are checked by the contract's own validators; these keep fastify from loading its compilers.
    schemaController: {
      compilersFactory: { buildValidator: NO_COMPILER, buildSerializer: NO_COMPILER },
    },
    return503OnClosing: false,
    // A fault rule may hold a body up for a minute before any of it is read.
    requestTimeout: 2 * MINUTE_MS,
    forceCloseConnections: 'idle',
  });
  // Set by the first hook, which no request passes by; the decoration gives every request the same shape.
  app.decorateRequest('exchange', undefined as unknown as Exchange);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _payload, done) => {
    const { endpoint } = request.exchange;
    // A file streams through its handler.
    if (endpoint?.takesFile) done(null, undefined);
    else collectBody(request.raw, limitOf(endpoint), done);
  });

  liftHeaderCount(app.server);
  // An expectation other than 100-continue is not ours to meet; Node would answer it without our headers.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));

  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, next: Next) => {
    const match = guard(request, reply);
    const fault = context.faults.size > 0 ? findFault(context.faults, request) : undefined;
    if (!fault) enter(request, reply, { match, next });
    else endure(request, reply, { fault, goOn: () => enter(request, reply, { match, next }) }).catch(next);
  });
  app.addHook('onResponse', (request: FastifyRequest, reply: FastifyReply, next: Next) => {
    tell(context, request, reply.statusCode);
    next();
  });
  app.setErrorHandler((error, request, reply) => fail(request, reply, error));
  app.route({ method: METHODS, url: '*', handler: answer });
  return app;

  /** Passes what is asked of every request, whatever its path. */
  function guard(request: FastifyRequest, reply: FastifyReply): Match {
    request.exchange = { startedAt: performance.now(), at: context.clock.now() };
    reply.headers(ALWAYS).header('x-request-id', request.id);
    const { port, host } = context.instance;
    const { hosts, cors, vocabulary } = context.settings.current;
    const served = { port, host, hosts, pageOrigins: cors.origins };
    guardHost(request.raw, served);
    guardOrigin(request.raw, served);
    if (isTokenPath(request.url)) {
      const { origin } = request.headers;
      reply.header('vary', 'origin');
      if (origin !== undefined) reply.headers(corsHeaders(origin));
    }
    const match = findRoute(request.method, request.url, vocabulary);
    guardReadiness(match.route?.endpoint.key, context.instance);
    return match;
  }

  async function endure(
    request: FastifyRequest,
    reply: FastifyReply,
    { fault, goOn }: { fault: FaultRule; goOn: () => void },
  ): Promise<void> {
    request.exchange.fault = fault.id;
    const sent = await suffer(context.faults, fault, { request, reply });
    if (sent === undefined) goOn();
    else {
      if (fault.abort) request.exchange.code = fault.code ?? DEFAULT_FAULT_CODE;
      tell(context, request, sent);
    }
  }

  /** Finds the route and who calls, and goes on to the body. */
  function enter(
    request: FastifyRequest,
    reply: FastifyReply,
    { match, next }: { match: Match; next: Next },
  ): void {
    const { params, route } = match;
    if (!route) {
      answerWithoutRoute(request, reply, match.allowed());
      return;
    }
    const { endpoint, template } = route;
    const { exchange } = request;
    exchange.endpoint = endpoint;
    exchange.route = template;
    exchange.match = { route, params };
    try {
      admit(context, request, endpoint);
    } catch (refusal) {
      logRefusal(context, request, { endpoint, refusal }).then(() => next(refusal as Error), next);
      return;
    }
    requireBodyType(request, endpoint);
    next();
  }

  /** A preflight, 404 or 405. */
  function answerWithoutRoute(
    request: FastifyRequest,
    reply: FastifyReply,
    allowed: readonly string[],
  ): void {
    const asked = { method: request.method, url: request.url, words: context.settings.current.vocabulary };
    if (allowed.length === 0) {
      throw new ServiceError('not_found', 'No endpoint has this path', { meant: nearestRoute(asked) });
    }
    if (isTokenPath(request.url) && isPreflight(request.raw)) {
      void reply.code(204).headers(preflightHeaders(request.raw, allowed)).send();
      return;
    }
    reply.header('allow', allowed.join(', '));
    throw new ServiceError('method_not_allowed', `This path answers ${allowed.join(', ')}`, {
      meant: nearestMethod(asked, allowed),
    });
  }

  /** A path that can't be percent-decoded: the HTTP library gives up before any hook. */
  function answerUnroutable(request: FastifyRequest, reply: FastifyReply): void {
    void unroutable(request, reply).catch((refusal: unknown) => {
      fail(request, reply, refusal);
      tell(context, request, reply.statusCode);
    });
  }

  async function unroutable(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const match = guard(request, reply);
    const goOn = () => answerWithoutRoute(request, reply, match.allowed());
    const fault = context.faults.size > 0 ? findFault(context.faults, request) : undefined;
    if (fault) await endure(request, reply, { fault, goOn });
    else goOn();
  }

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { exchange } = request;
    if (!exchange.match) throw new Error('a request reached its handler without a route');
    const { route, params } = exchange.match;
    const { endpoint, entityParameter } = route;
    const body = await readBody(request, endpoint);
    const entity =
      endpoint.auth.kind === 'token'
        ? context.clientTokens.entityOf(exchange.caller as TokenCaller)
        : entityParameter && pathEntity(route, params[entityParameter], exchange.caller);
    requirePathLink(params['link_id'], exchange.caller);
    const handler = context.handlers[endpoint.key] as (
      request: unknown,
    ) => Answer<unknown> | Promise<Answer<unknown>>;
    const given = await handler({
      requestId: request.id,
      rawHeaders: request.raw.rawHeaders,
      get clientGone() {
        return clientGone({ request, reply });
      },
      caller: exchange.caller,
      entity,
      params,
      query: readQuery(endpoint.query, request.query as Record<string, unknown>),
      // Whoever takes any body judges headers that a schema can't name, and says what it made of them.
      headers: readHeaders(endpoint.takesAnyBody ? undefined : endpoint.headers, request.headers),
      body: endpoint.takesFile || endpoint.takesAnyBody ? body : checkedBody(endpoint, body),
    });
    for (const [name, value] of Object.entries(given.headers ?? {})) reply.header(name, value);
    reply.code(given.status ?? 200);
    if (endpoint.produces !== undefined) {
      const sent = sendContent(reply, endpoint.produces, { answer: given, exchange });
      recordUnheard(request, reply);
      return sent;
    }
    exchange.responseBody = given.body;
    recordUnheard(request, reply);
    return sendJson(reply, given.body);
  }

  /** A client that is gone before its answer begins, or its turn comes: no hook tells of what is never sent. */
  function recordUnheard(request: FastifyRequest, reply: FastifyReply): void {
    const { statusCode } = reply;
    if (isClosed({ request, reply })) tell(context, request, statusCode);
    else if (reply.raw.socket === null) {
      onceClosed({ request, reply }, () => reply.raw.writableFinished || tell(context, request, statusCode));
    }
  }

  function pathEntity(
    { endpoint, template }: Route,
    id: string | undefined,
    caller: Caller | TokenCaller | undefined,
  ): EntityRow {
    if (!caller || id === undefined) throw new Error('an entity endpoint was reached without a caller');
    const kind = template.startsWith('/businesses') ? 'business' : 'user';
    const meant = routeOfOtherKind(endpoint.key, id);
    if (meant !== undefined) throw noSuchEntity(kind, meant);
    return getEntity(context.database, caller, id, kind);
  }

  /** A link in the path is there before anything is said about what is asked of it, as an entity is. */
  function requirePathLink(id: string | undefined, caller: Caller | TokenCaller | undefined): void {
    if (id !== undefined && caller) getLink(context.database, caller.space, id);
  }

  function afterRetirement(error: ServiceError): ServiceError {
    if (error.code !== 'internal_error' || !context.hasRetired()) return error;
    return new ServiceError('not_ready', 'The state was replaced by a snapshot meanwhile: try again', {
      cause: error,
    });
  }

  function fail(request: FastifyRequest, reply: FastifyReply, error: unknown): void {
    const known = afterRetirement(asServiceError(error));
    const { status, body } = errorAnswer(known);
    const { exchange } = request;
    exchange.code = known.code;
    exchange.responseBody = body;
    exchange.failure = known;
    if (status === 401) reply.header('www-authenticate', challenge(exchange.endpoint));
    // What is still being sent of a refused upload is thrown away, so that the connection goes on.
    if (exchange.endpoint?.takesFile) request.raw.resume();
    // An answer that was begun as a file and ends as a failure.
    reply.removeHeader('content-length').removeHeader('content-disposition');
    if (known.headers) reply.headers(known.headers);
    reply.code(status);
    recordUnheard(request, reply);
    void sendJson(reply, body);
  }
}

/** A file that streams in, bytes as they came, or JSON; what the journal says of it is noted on the way. */
async function readBody(request: FastifyRequest, endpoint: Endpoint): Promise<unknown> {
  const { exchange } = request;
  if (endpoint.takesFile) return (exchange.upload = await readUpload(request.raw, limitOf(endpoint)));
  if (!endpoint.body) return undefined;
  const bytes = request.body as Buffer | undefined;
  if (!endpoint.takesAnyBody) return (exchange.requestBody = parseJsonBody(bytes));
  const body = bytes ?? Buffer.alloc(0);
  exchange.upload = {
    contentType: request.headers['content-type'] ?? 'application/octet-stream',
    bytesRead: body.length,
  };
  return body;
}

function clientGone(exchanged: { request: FastifyRequest; reply: FastifyReply }): AbortSignal {
  const gone = new AbortController();
  if (isClosed(exchanged)) gone.abort();
  else onceClosed(exchanged, () => exchanged.reply.raw.writableFinished || gone.abort());
  return gone.signal;
}

function limitOf(endpoint: Endpoint | undefined): number {
  return endpoint?.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES;
}

/** What may be asked before the instance is ready. */
const ALWAYS_SERVED = new Set<Key | undefined>(['GET /_kyclone/health', 'GET /_kyclone/ready']);

function guardReadiness(key: Key | undefined, { readiness }: Instance): void {
  if (readiness.ready || ALWAYS_SERVED.has(key)) return;
  const code = readiness.reason === 'sealed' ? 'sealed' : 'not_ready';
  throw new ServiceError(code, `The instance does not serve requests now: ${readiness.reason}`);
}

function requireBodyType(request: FastifyRequest, endpoint: Endpoint): void {
  const type = request.headers['content-type'];
  if (!endpoint.body || endpoint.takesFile || endpoint.takesAnyBody || type === undefined || isJsonType(type))
    return;
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
