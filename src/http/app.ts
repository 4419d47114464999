/**
 * The HTTP side of the service. `pipeline` below is the path of every request, from top to bottom in the order of
 * contract §0.4. The first step that throws determines the response.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import type { Duplex } from 'node:stream';
import { UNWRITABLE_REASONS } from '../nouns/control/facts.ts';
import type { EntityKind } from '../nouns/entities/facts.ts';
import { PLAYBOOK_KINDS, type PlaybookKind } from '../nouns/onboardings/facts.ts';
import type { Answer } from '../contract/handler.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { ByteBudget, Held } from '../kernel/numbers/byte-budget.ts';
import { ServiceError, invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids/ids.ts';
import { isJsonObject } from '../kernel/text/json.ts';
import type { Randomness } from '../kernel/ids/random.ts';
import { realTime } from '../kernel/time/real-time.ts';
import type { TokenCaller } from '../nouns/api-keys/service/index.ts';
import { getLink } from '../nouns/bank-links/service/index.ts';
import { findsValues, revealsSecrets } from '../nouns/console/service/index.ts';
import type { Instance } from '../nouns/control/service/index.ts';
import { findEntity, type EntityRow } from '../nouns/entities/service/index.ts';
import type { Faults } from '../nouns/faults/service.ts';
import type { Handlers } from '../nouns/handlers.ts';
import { playbookChoices } from '../nouns/playbooks/service.ts';
import type { Database } from '../storage/database.ts';
import { sendAnswer, refuse, sendEmpty } from './answering.ts';
import { authorize, logRefusal, type AuthorizationContext } from './authorization.ts';
import { Call, isClosed, onceClosed, signalClientGone, createInFlightRequests } from './call.ts';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.ts';
import { DEFAULT_FAULT_CODE, findFault, injectFault } from './faults.ts';
import {
  guardHost,
  guardOrigin,
  noEndpoint,
  noEntity,
  readOperator,
  readSeen,
  readHeaders,
  readQuery,
} from './request-head.ts';
import type { ServerLimits } from './limits.ts';
import { nearestMethod, routeOfOtherKind } from './near-misses.ts';
import { rawAnswer } from './raw-answer.ts';
import { checkBody, readBody, type ReadBody, requireContentType } from './request-body.ts';
import { logRequest, type RequestLog } from './request-log.ts';
import { findRoute, type Match, type Route } from './router.ts';
import { createWrongCredentials } from './wrong-credentials.ts';

// Adds the available playbooks to the refusal of a run without a playbook.

const KINDS: Partial<Record<EndpointKey, readonly PlaybookKind[]>> = {
  'POST /users/{fp_id}/kyc': ['kyc', 'document'],
  'POST /users/{fp_id}/reonboard': ['kyc', 'document'],
  'POST /businesses/{fp_bid}/kyb': ['kyb'],
  'POST /onboarding/session': PLAYBOOK_KINDS,
};

/** The refusal unchanged, or with the playbooks of `space` when the body names none. */
function withPlaybooks(
  refusal: unknown,
  {
    key,
    body,
    space,
    database,
  }: { key: EndpointKey; body: unknown; space: number | undefined; database: Database },
): unknown {
  const kinds = KINDS[key];
  if (!kinds || space === undefined || !(refusal instanceof ServiceError)) return refusal;
  if (!isJsonObject(body) || typeof body['key'] === 'string') return refusal;
  const choices = playbookChoices(database, space, kinds);
  return choices === ''
    ? refusal
    : new ServiceError(refusal.code, `${refusal.message}; playbooks: ${choices}`);
}

export interface AppContext extends AuthorizationContext, RequestLog {
  readonly database: Database;
  readonly handlers: Handlers<EndpointKey>;
  readonly faults: Faults;
  readonly instance: Instance;
  readonly random: Randomness;
  readonly limits: ServerLimits;
  /** The memory budget of all requests together. */
  readonly budget: ByteBudget;
  /** Whether the store was removed; failures from then on are attributed to that. */
  readonly hasRetired: () => boolean;
}

export type App = ReturnType<typeof createApp>;

export function createApp(context: AppContext) {
  const wrongCredentials = createWrongCredentials(context.limits, realTime.elapsed);
  const inFlight = createInFlightRequests();

  async function pipeline(call: Call): Promise<void> {
    checkHost(call);
    const match = findRoute(call.method, call.url, context.settings.current.vocabulary);
    checkOrigin(call, match);
    checkReadiness(match);
    if (context.faults.size > 0 && (await applyFaults(call)) === 'answered') return;
    const route = requireRoute(call, match);
    if (route === 'answered') return;
    const refusal = checkCredential(call, route);
    if (refusal) await refuseCredential(call, route, refusal);
    requireContentType(call, route.endpoint);
    inFlight.begin(call);
    // Node parses a body that arrives with its head only after the event of the head. Yield once, so that it is there.
    if (!call.request.complete) await Promise.resolve();
    const isLate = !call.request.complete;
    const body = await readBody(call, route.endpoint, {
      limits: context.limits,
      held: () => heldBy(call),
      atEndOfFile: () => authorize(context, call, route.endpoint),
    });
    // The credential may have been taken away while the body came.
    if (isLate && route.endpoint.auth.kind !== 'open') {
      const late = checkCredential(call, route);
      if (late) await refuseCredential(call, route, late);
    }
    const entity = requireEntity(call, route);
    const answer = await runHandler(call, { route, entity, body });
    await sendAnswer(call, route.endpoint, {
      answer,
      recorder: context.recorder,
      held: () => heldBy(call),
      decided: (status) => logUnheard(call, status),
    });
  }

  function checkHost({ request }: Call): void {
    guardHost(request, { host: context.instance.host, hosts: context.settings.current.hosts });
  }

  function checkOrigin(call: Call, match: Match): void {
    const { request, answerHeaders, headers } = call;
    const { port, host } = context.instance;
    const { hosts, cors } = context.settings.current;
    guardOrigin(request, { port, host, hosts, pageOrigins: cors.origins }, match);
    call.sender = 'unknown';
    if (!match.letsPagesIn) return;
    answerHeaders['vary'] = 'origin';
    if (headers.origin !== undefined) Object.assign(answerHeaders, corsHeaders(headers.origin));
  }

  function checkReadiness({ route }: Match): void {
    const { readiness } = context.instance;
    if (readiness.ready || route?.endpoint.servedUnready === true) return;
    // The write queue refuses what would be written.
    if (UNWRITABLE_REASONS.some((reason) => reason === readiness.reason)) return;
    const code = readiness.reason === 'sealed' ? 'sealed' : 'not_ready';
    throw new ServiceError(code, `The instance does not serve requests now: ${readiness.reason}`);
  }

  async function applyFaults(call: Call): Promise<'answered' | undefined> {
    const rule = findFault(context.faults, call);
    if (!rule) return undefined;
    call.fault = rule.id;
    const sent = await injectFault(context.faults, rule, call);
    if (sent === undefined) return undefined;
    if (rule.abort) call.code = rule.code ?? DEFAULT_FAULT_CODE;
    logRequest(context, call, sent);
    return 'answered';
  }

  /** The requested endpoint. Responds to a preflight and to `/` itself; fails for any other unknown path or method. */
  function requireRoute(call: Call, match: Match): Route | 'answered' {
    const { route } = match;
    if (route) {
      call.route = route;
      call.params = match.params;
      return route;
    }
    const { request, method, url, answerHeaders } = call;
    if (isRoot(call)) {
      answerHeaders['location'] = DOCS_PATH;
      sendEmpty(call, 302);
      return 'answered';
    }
    const asked = { method, url, words: context.settings.current.vocabulary };
    const methods = match.allowed();
    if (methods.length === 0) throw noEndpoint(asked);
    if (match.letsPagesIn && isPreflight(request)) {
      Object.assign(answerHeaders, preflightHeaders(request, methods));
      sendEmpty(call, 204);
      return 'answered';
    }
    answerHeaders['allow'] = methods.join(', ');
    throw new ServiceError('method_not_allowed', `This path answers ${methods.join(', ')}`, {
      meant: nearestMethod(asked, methods),
    });
  }

  function checkCredential(call: Call, { endpoint }: Route): { readonly refusal: unknown } | undefined {
    try {
      authorize(context, call, endpoint);
      if (endpoint.auth.kind !== 'open') call.sender = 'known';
      return undefined;
    } catch (refusal) {
      return { refusal };
    }
  }

  async function refuseCredential(
    call: Call,
    { endpoint }: Route,
    { refusal }: { readonly refusal: unknown },
  ): Promise<never> {
    // A caller that is known but not permitted had a valid credential.
    call.sender = call.caller || call.session ? 'known' : 'unknown';
    if (refusal instanceof ServiceError && refusal.code === 'unauthenticated') {
      await wrongCredentials.delay(call, endpoint.auth);
    }
    await logRefusal(context, call, { endpoint, refusal });
    throw refusal;
  }

  /** The entity named by the path or the token, and a check of the link named by the path; 404 when one is missing. */
  function requireEntity(call: Call, { endpoint, entity: named }: Route): EntityRow | undefined {
    const { caller, params } = call;
    const entity =
      endpoint.auth.kind === 'token'
        ? context.clientTokens.entityOf(caller as TokenCaller)
        : named && entityOfPath(params[named.parameter], named.kind);
    const linkId = params['link_id'];
    if (linkId !== undefined && caller) getLink(context.database, caller.space, linkId);
    return entity || undefined;

    function entityOfPath(id: string | undefined, kind: EntityKind): EntityRow {
      if (!caller || id === undefined) throw new Error('an entity endpoint was reached without a caller');
      const found = findEntity(context.database, caller, id);
      if (found?.kind === kind) return found;
      throw noEntity(id, { kind, meant: routeOfOtherKind(endpoint.key, id) });
    }
  }

  /** Checks query, headers and body against the schemas of the contract, then calls the endpoint's handler. */
  function runHandler(
    call: Call,
    { route, entity, body }: { route: Route; entity: EntityRow | undefined; body: ReadBody },
  ): Answer<unknown> | Promise<Answer<unknown>> {
    const { endpoint } = route;
    const handler = context.handlers[endpoint.key] as (
      request: unknown,
    ) => Answer<unknown> | Promise<Answer<unknown>>;
    return handler({
      requestId: call.id,
      operator: readOperator(call),
      findsValues: call.session === undefined || findsValues(call.session),
      revealsSecrets: call.session === undefined || revealsSecrets(call.session),
      seen: readSeen(call.request),
      rawHeaders: call.request.rawHeaders,
      // The stream of a console session ends with it.
      clientGone: () => signalClientGone(call, call.session?.ended),
      held: heldBy(call),
      caller: call.caller,
      entity,
      params: call.params,
      query: readQuery(endpoint.query, queryOf(call.url)),
      // An endpoint that takes any body checks the headers itself, since a schema can't name them, and reports how it
      // read them.
      headers: readHeaders(endpoint.takesAnyBody ? undefined : endpoint.headers, call.headers),
      body: checkedBody(call, route, body),
    });
  }

  function checkedBody(call: Call, { endpoint }: Route, body: ReadBody): unknown {
    try {
      return checkBody(endpoint, body);
    } catch (refusal) {
      const [{ database }, { value }] = [context, body];
      throw withPlaybooks(refusal, { key: endpoint.key, body: value, space: call.caller?.space, database });
    }
  }

  /** Counts until the call is no longer in flight. */
  function heldBy(call: Call): Held {
    return (call.held ??= context.budget.begin());
  }

  /**
   * Logs a response that is never sent: the client left before it began, or before its turn on the connection. Node
   * emits no `finish` event for it.
   */
  function logUnheard(call: Call, status: number): void {
    const { response } = call;
    if (isClosed(call)) logRequest(context, call, status);
    else if (response.socket === null) {
      onceClosed(call, () => response.writableFinished || logRequest(context, call, status));
    }
  }

  return {
    inFlight,

    /** Handles a request; never throws. Settles once the response was sent or can't be sent any more. */
    async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const id = newId('request', context.random);
      const call = new Call(request, response, {
        id,
        startedAt: realTime.elapsed(),
        at: context.clock.now(),
      });
      // An error after the connection broke needs no handling.
      response.on('error', ignore);
      response.on('finish', () => {
        logRequest(context, call, response.statusCode);
        call.held?.free();
      });
      try {
        await pipeline(call);
      } catch (error) {
        refuse(call, error, {
          isRetired: context.hasRetired(),
          decided: (status) => logUnheard(call, status),
          restMs: context.limits.stallMs,
        });
      }
      if (isClosed(call)) call.held?.free();
    },

    /** Responds to input that Node could not parse as a request. */
    refuseUnreadable(error: Error & { code?: string }, socket: Duplex): void {
      answerUnreadable(error, socket, newId('request', context.random));
    },
  };
}

function ignore(): void {
  // The journal records how the request ended.
}

/** Not an endpoint: redirects a browser to the docs page. */
const DOCS_PATH = '/_kyclone/docs';

function isRoot({ method, url }: Call): boolean {
  return (method === 'GET' || method === 'HEAD') && (url === '/' || url.startsWith('/?'));
}

/** All query parameters by name; a repeated one is a list. */
function queryOf(url: string): Readonly<Record<string, unknown>> {
  const mark = url.indexOf('?');
  return mark === -1 ? {} : parseQuery(url.slice(mark + 1), '&', '=', { maxKeys: 0 });
}

/** Responds to input that Node could not parse: over the header limit, too slow, or not HTTP. */
function answerUnreadable(error: Error & { code?: string }, socket: Duplex, requestId: string): void {
  // Browsers open connections in advance: one that never sent anything gets no response.
  const hasAsked = 'bytesRead' in socket && Number(socket.bytesRead) > 0;
  if (socket.writable && hasAsked) socket.write(rawAnswer(refusalOf(error), requestId));
  socket.destroy();
}

function refusalOf({ code }: { code?: string }): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError('headers_too_large', 'The request head is over 64 KiB');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'The request head did not come in time');
  }
  return invalid('The request is not valid HTTP');
}
