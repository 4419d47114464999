/**
 * The HTTP side of the service: a request passes guards, authentication, its body and its schemas, then a handler,
 * in the order of contract §0.4; the first check that fails answers.
 */
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { JSON_BODY_LIMIT_BYTES, REQUEST_HEAD_LIMIT_BYTES, type Endpoint } from '../contract/endpoint.ts';
import { withoutAbsentMembers } from '../contract/absence.ts';
import type { Answer } from '../contract/handler.ts';
import type { Key } from '../contract/registry.ts';
import { SHARE_BYTES, type ByteBudget, type Held } from '../kernel/byte-budget.ts';
import { ServiceError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Randomness } from '../kernel/random.ts';
import { SECOND_MS } from '../kernel/units.ts';
import type { Caller, TokenCaller } from '../resources/api-keys/index.ts';
import { getLink } from '../resources/bank-links/index.ts';
import type { Instance } from '../resources/emulator/index.ts';
import { findEntity, type EntityRow } from '../resources/entities/index.ts';
import type { FaultRule, Faults } from '../resources/faults/index.ts';
import type { Handlers } from '../resources/handlers.ts';
import type { Database } from '../storage/database.ts';
import { admit, challenge, logRefusal, type AdmissionContext } from './admission.ts';
import { collectBody } from './body.ts';
import { requireBounded, shownMember } from './bounded-body.ts';
import { isClosed, onceClosed } from './client-gone.ts';
import { corsHeaders, isPreflight, isTokenPath, preflightHeaders } from './cors.ts';
import { asServiceError, errorAnswer } from './errors.ts';
import { DEFAULT_FAULT_CODE, findFault, suffer } from './faults.ts';
import { guardHost, guardOrigin } from './guards.ts';
import { isJsonType, parseJsonBody } from './json-body.ts';
import { withPlaybooks } from './missing-playbook.ts';
import { nearestMethod, nearestRoute, routeOfOtherKind } from './near-misses.ts';
import { kindOfBadId, noEntity, noSuchId } from './path-ids.ts';
import type { ServerLimits } from './limits.ts';
import { shownAnswer, type Exchange } from './recording.ts';
import { findRoute, type Match, type Route } from './router.ts';
import { JSON_TYPE, sendContent, sendJson, sendPieces, sendStreamedJson, sendText } from './sending.ts';
import { holdsStreams, withEmptyTexts, withoutStreams } from './streamed-json.ts';
import { answerUnreadable } from './unreadable.ts';
import { createWrongCredentials } from './wrong-credentials.ts';
import { isPartOfSession } from './recorded-call.ts';
import { tell, type TellingContext } from './telling.ts';
import { readUpload } from './upload.ts';
import { readHeaders, readQuery, requireValid } from './validation.ts';

export interface AppContext extends AdmissionContext, TellingContext {
  readonly database: Database;
  readonly handlers: Handlers<Key>;
  readonly faults: Faults;
  readonly instance: Instance;
  readonly random: Randomness;
  readonly limits: ServerLimits;
  /** What all requests hold in memory. */
  readonly budget: ByteBudget;
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
  // How often heads that are late are looked for.
  connectionsCheckingInterval: SECOND_MS,
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
    forceCloseConnections: 'idle',
  });
  // Set by the first hook, which no request passes by; the decoration gives every request the same shape.
  app.decorateRequest('exchange', undefined as unknown as Exchange);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, _payload, done) => {
    const { endpoint } = request.exchange;
    // A file streams through its handler.
    if (endpoint?.takesFile) done(null, undefined);
    else {
      const held = heldFor(request);
      collectBody(request.raw, { ...context.limits, limitBytes: limitOf(endpoint), held }, done);
    }
  });

  const wrongCredentials = createWrongCredentials(context.limits, () => performance.now());
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
    request.exchange.held?.free();
    next();
  });
  app.setErrorHandler((error, request, reply) => fail(request, reply, error));
  app.route({ method: METHODS, url: '*', handler: answer });
  return app;

  /** Passes what is asked of every request, whatever its path. */
  function guard(request: FastifyRequest, reply: FastifyReply): Match {
    request.exchange = { startedAt: performance.now(), at: context.clock.now(), reply };
    reply.headers(ALWAYS).header('x-request-id', request.id);
    const { port, host } = context.instance;
    const { hosts, cors, vocabulary } = context.settings.current;
    const served = { port, host, hosts, pageOrigins: cors.origins };
    guardHost(request.raw, served);
    guardOrigin(request.raw, served);
    request.exchange.isGuest = true;
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
    if (!route && isRoot(request)) {
      void reply.code(302).header('location', DOCS_PATH).send();
      return;
    }
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
      refuse(request, { endpoint, refusal }).then(() => next(refusal as Error), next);
      return;
    }
    exchange.isAdmitted = endpoint.auth.kind !== 'open';
    requireBodyType(request, endpoint);
    next();
  }

  async function refuse(
    request: FastifyRequest,
    { endpoint, refusal }: { endpoint: Endpoint; refusal: unknown },
  ): Promise<void> {
    // Who is known and may not has tried nothing.
    request.exchange.isAdmitted = request.exchange.caller !== undefined;
    if (refusal instanceof ServiceError && refusal.code === 'unauthenticated') {
      await wrongCredentials.delay(request.raw);
    }
    await logRefusal(context, request, { endpoint, refusal });
  }

  /** A preflight, 404 or 405. */
  function answerWithoutRoute(
    request: FastifyRequest,
    reply: FastifyReply,
    allowed: readonly string[],
  ): void {
    const asked = { method: request.method, url: request.url, words: context.settings.current.vocabulary };
    if (allowed.length === 0) {
      const kind = kindOfBadId(asked);
      if (kind !== undefined) throw noSuchId(kind);
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
    const body = await readBody(request, endpoint, context.limits);
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
      get held() {
        return heldFor(request);
      },
      caller: exchange.caller,
      entity,
      params,
      query: readQuery(endpoint.query, request.query as Record<string, unknown>),
      // Whoever takes any body judges headers that a schema can't name, and says what it made of them.
      headers: readHeaders(endpoint.takesAnyBody ? undefined : endpoint.headers, request.headers),
      body: endpoint.takesFile || endpoint.takesAnyBody ? body : bodyOf(endpoint, body, exchange.caller),
    });
    for (const [name, value] of Object.entries(given.headers ?? {})) reply.header(name, value);
    reply.code(given.status ?? 200);
    if (endpoint.produces !== undefined) {
      const sent = sendContent(reply, endpoint.produces, { answer: given, exchange });
      recordUnheard(request, reply);
      return sent;
    }
    const { body: text } = given;
    if (endpoint.carriesVaultData && holdsStreams(text)) {
      const isRecorded = context.recorder.isRecording && isPartOfSession(request);
      exchange.responseBody = isRecorded ? await withoutStreams(text) : withEmptyTexts(text);
      recordUnheard(request, reply);
      return sendStreamedJson(reply, text);
    }
    exchange.responseBody = text;
    recordUnheard(request, reply);
    return sendHeldJson(reply, text);
  }

  function bodyOf(
    endpoint: Endpoint & { key: Key },
    body: unknown,
    caller: Caller | TokenCaller | undefined,
  ): unknown {
    try {
      return checkedBody(endpoint, body);
    } catch (refusal) {
      const { database } = context;
      throw withPlaybooks(refusal, { key: endpoint.key, body, space: caller?.space, database });
    }
  }

  /**
   * One of some size is kept as its bytes and goes out piece by piece; the rest of what it was made of is let go. Made
   * whole before it is counted is a page of a list, which is small by its bounds: 100 rows, of the journal at worst 30 KB
   * each. Values of a vault count as they are opened.
   */
  function sendHeldJson(reply: FastifyReply, body: unknown): FastifyReply {
    const { request } = reply;
    const { exchange } = request;
    const text = JSON.stringify(body);
    if (text.length <= SHARE_BYTES) return sendText(reply, JSON_TYPE, text);
    const held = heldFor(request);
    if (!context.recorder.isRecording) {
      exchange.shownResponse = shownAnswer(exchange);
      exchange.responseBody = undefined;
      held.free();
    }
    held.take(text.length);
    const bytes = Buffer.from(text);
    return sendPieces(reply, JSON_TYPE, bytes);
  }

  /** Counted until the answer has left, or its client. */
  function heldFor(request: FastifyRequest): Held {
    const { exchange } = request;
    if (!exchange.held) {
      const held = (exchange.held = context.budget.begin());
      if (exchange.reply) onceClosed({ request, reply: exchange.reply }, () => held.free());
    }
    return exchange.held;
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
    const entity = findEntity(context.database, caller, id);
    if (entity?.kind === kind) return entity;
    throw noEntity(id, { kind, meant: routeOfOtherKind(endpoint.key, id) });
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
    if (status === 401) reply.header('www-authenticate', challenge(exchange.endpoint, request.headers));
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
async function readBody(
  request: FastifyRequest,
  endpoint: Endpoint & { key: Key },
  { stallMs }: ServerLimits,
): Promise<unknown> {
  const { exchange } = request;
  if (endpoint.takesFile) {
    return (exchange.upload = await readUpload(request.raw, { limitBytes: limitOf(endpoint), stallMs }));
  }
  if (!endpoint.body) return undefined;
  const bytes = request.body as Buffer | undefined;
  if (!endpoint.takesAnyBody) return readJson(exchange, endpoint, bytes);
  const body = bytes ?? Buffer.alloc(0);
  exchange.upload = {
    contentType: request.headers['content-type'] ?? 'application/octet-stream',
    bytesRead: body.length,
  };
  return body;
}

/**
 * The value of a JSON body. Inside the control plane it is bounded and says each thing once; elsewhere the last of
 * several members with one name counts (contract §0.8), and the journal says so.
 */
function readJson(exchange: Exchange, endpoint: Endpoint & { key: Key }, bytes: Buffer | undefined): unknown {
  const body = parseJsonBody(bytes);
  if (body === undefined) return undefined;
  const { value, depth, repeated } = body;
  const member = repeated === undefined ? undefined : shownMember(repeated);
  if (endpoint.key.includes(' /_kyclone/')) {
    requireBounded(value, depth);
    exchange.requestBody = value;
    if (member !== undefined) {
      throw new ServiceError('invalid_request', `Member ${member} stands more than once in one object`);
    }
  } else if (member !== undefined) exchange.repeatedMember = member;
  return (exchange.requestBody = value);
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

/** No path of the service: whoever opens the address in a browser is led to what documents it. */
const DOCS_PATH = '/_kyclone/docs';

function isRoot({ method, url }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && (url === '/' || url.startsWith('/?'));
}

/** What may be asked before the instance is ready. */
const ALWAYS_SERVED = new Set<Key | undefined>(['GET /_kyclone/health', 'GET /_kyclone/ready']);

function guardReadiness(key: Key | undefined, { readiness }: Instance): void {
  if (readiness.ready || ALWAYS_SERVED.has(key)) return;
  // What can be read still is: it may be all that is left of the store. The write queue refuses to write.
  if (readiness.reason === 'store_missing') return;
  const code = readiness.reason === 'sealed' ? 'sealed' : 'not_ready';
  throw new ServiceError(code, `The instance does not serve requests now: ${readiness.reason}`);
}

/** What clients send unless they are told otherwise; any other text of a header could be a value. */
const SHOWN_TYPES = new Set([
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'text/plain',
  'application/octet-stream',
]);

function requireBodyType(request: FastifyRequest, endpoint: Endpoint): void {
  const type = request.headers['content-type'];
  if (!endpoint.body || endpoint.takesFile || endpoint.takesAnyBody || type === undefined || isJsonType(type))
    return;
  const length = request.headers['content-length'];
  const isEmpty =
    request.headers['transfer-encoding'] === undefined && (length === undefined || length === '0');
  if (isEmpty) return;
  const sent = /^[^;\s]*/.exec(type)?.[0].toLowerCase() ?? '';
  const instead = SHOWN_TYPES.has(sent) ? `, not ${sent}` : '';
  throw new ServiceError('unsupported_media_type', `The content type must be application/json${instead}`);
}

function checkedBody(endpoint: Endpoint, body: unknown): unknown {
  if (!endpoint.body) return undefined;
  if (body === undefined) {
    if (endpoint.bodyOptional) return undefined;
    throw new ServiceError('invalid_request', 'A JSON body is required');
  }
  const present = withoutAbsentMembers(endpoint.body, body);
  requireValid(endpoint.body, present, 'Member');
  return present;
}
