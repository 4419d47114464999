/** Decides whether a caller may call an endpoint, and records refusals (contract §0.2, §0.4). */
import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '../contract/endpoint.ts';
import type { EndpointKey } from '../contract/registry.ts';
import { CLIENT_TOKEN_HEADER, CONSOLE_HEADER } from '../contract/facts/credentials.ts';
import { ENVIRONMENT_HEADER } from '../nouns/console/facts.ts';
import { ENVIRONMENTS, type Environment } from '../nouns/entities/facts.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { ServiceError, invalid } from '../kernel/errors.ts';
import { CREDENTIAL_PREFIX } from '../kernel/ids/ids.ts';
import {
  type ApiKeys,
  type Caller,
  type FlowCaller,
  requirePermission,
  requireScope,
  type TokenCaller,
} from '../nouns/api-keys/service/index.ts';
import type { BankPages } from '../nouns/bank-links/service/index.ts';
import { type ClientTokens, requireAbility } from '../nouns/client-tokens/service/index.ts';
import { actingFor, requireOfSession, type ConsoleSessions } from '../nouns/console/service/index.ts';
import type { SessionTokens } from '../nouns/onboardings/service/index.ts';
import type { LiveSettings } from '../nouns/settings/service.ts';
import { accessEntry } from '../vault/access-entry.ts';
import type { AccessLog } from '../vault/access-log.ts';
import type { Call } from './call.ts';
import { operatorOfRefused } from './request-head.ts';

// Authenticates requests (contract §0.2). Missing and wrong credentials get the same status and code.

const BASIC = /^basic +([A-Za-z0-9+/]{4,1024}={0,2})$/i;
const BEARER = /^bearer +([A-Za-z0-9_-]{43})$/i;

/** The caller of a secret key, given in its header or as the user name of Basic; throws `unauthenticated`. */
function authenticateKey(headers: IncomingHttpHeaders, apiKeys: ApiKeys, keyHeader: string): Caller {
  const inHeader = headers[keyHeader];
  const inBasic = headers.authorization === undefined ? undefined : basicUser(headers.authorization);
  const key = inHeader ?? inBasic;
  if (typeof key !== 'string') throw refused(noKey(headers, keyHeader));
  if (inHeader !== undefined && inBasic !== undefined && inHeader !== inBasic) {
    throw new ServiceError('unauthenticated', 'The request carries two different credentials');
  }
  const caller = apiKeys.authenticate(key);
  if (caller) return caller;
  throw refused(
    key === '' || isClientToken(key)
      ? noKey(headers, keyHeader)
      : 'The secret key is malformed, unknown or disabled',
  );
}

/** Explains the missing key, by the kind of credential that was sent instead. */
function noKey(headers: IncomingHttpHeaders, keyHeader: string): string {
  const places = `as the user name of Basic authentication or in header ${keyHeader}`;
  if (headers.authorization !== undefined && /^bearer /i.test(headers.authorization)) {
    return `A Bearer token is no secret key: send the key ${places}`;
  }
  const isToken =
    headers[CLIENT_TOKEN_HEADER] !== undefined || isClientToken(String(headers[keyHeader] ?? ''));
  return isToken
    ? `This call takes a secret key, not a client token: send the key ${places}`
    : `Send the secret key ${places}`;
}

function isClientToken(text: string): boolean {
  return text.startsWith(CREDENTIAL_PREFIX.clientToken);
}

function isSecretKey(text: string): boolean {
  return text.startsWith(CREDENTIAL_PREFIX.sandbox) || text.startsWith(CREDENTIAL_PREFIX.live);
}

function refused(message: string): ServiceError {
  return new ServiceError('unauthenticated', message);
}

/** The user name of Basic; an empty string, which is no valid key, for other schemes. Ignores the password. */
function basicUser(authorization: string): string {
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return '';
  const credentials = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = credentials.indexOf(':');
  return colon === -1 ? credentials : credentials.slice(0, colon);
}

/**
 * The caller of the client token in its header; two tokens count as none. Throws `unauthenticated`, `token_expired`.
 */
function authenticateToken(headers: IncomingHttpHeaders, clientTokens: ClientTokens): TokenCaller {
  const token = headers[CLIENT_TOKEN_HEADER];
  const isKey =
    token === undefined ? headers.authorization !== undefined || hasKey(headers) : isSecretKey(String(token));
  if (isKey) {
    throw refused('This call takes a client token in header x-fp-authorization, not a secret key');
  }
  return clientTokens.authenticate(typeof token === 'string' ? token : undefined);
}

/** Looks up the tokens of hosted flows. */
interface FlowTokens {
  readonly sessionTokens: Pick<SessionTokens, 'authenticate'>;
  readonly bankPages: Pick<BankPages, 'authenticate'>;
}

const INTENT_PREFIX = 'blit_';

/** The caller of a hosted flow's token, whether the flow is over or not. Throws `unauthenticated`, `token_expired`. */
function authenticateFlow(
  headers: IncomingHttpHeaders,
  { sessionTokens, bankPages }: FlowTokens,
): FlowCaller {
  const token = headers[CLIENT_TOKEN_HEADER];
  const text = typeof token === 'string' ? token : '';
  return (text.startsWith(INTENT_PREFIX) ? bankPages : sessionTokens).authenticate(text);
}

/** True whatever the name of the secret key's header. */
function hasKey(headers: IncomingHttpHeaders): boolean {
  return Object.values(headers).some((value) => typeof value === 'string' && isSecretKey(value));
}

/** Compares in constant time with the digest of the instance's control token; throws `unauthenticated`. */
function authenticateControl(headers: IncomingHttpHeaders, controlTokenDigest: Buffer): void {
  const token = headers.authorization === undefined ? undefined : BEARER.exec(headers.authorization)?.[1];
  if (token !== undefined && timingSafeEqual(hash('sha256', token, 'buffer'), controlTokenDigest)) return;
  if (token !== undefined) {
    throw refused(
      'This is not the control token of this instance: it lasts as long as the data, and kyclone env prints the present one',
    );
  }
  throw refused(
    hasKey(headers) || /^(?:basic|bearer +sk_)/i.test(headers.authorization ?? '')
      ? 'The control plane takes no secret key: send the control token, which kyclone env prints, as a Bearer token'
      : 'Send the control token of this instance, which kyclone env prints, as a Bearer token',
  );
}

/** The console session of the token in its header; undefined without the header. Throws `unauthenticated`. */
function authenticateSession(
  headers: IncomingHttpHeaders,
  { consoleSessions, settings }: Pick<AuthorizationContext, 'consoleSessions' | 'settings'>,
): Call['session'] {
  const token = headers[CONSOLE_HEADER];
  if (token === undefined) return undefined;
  const { secret_key_header } = settings.current.vocabulary;
  if (headers.authorization !== undefined || headers[secret_key_header] !== undefined) {
    throw refused('The request carries two different credentials');
  }
  const session = consoleSessions.find(String(token));
  if (session) return session;
  throw refused('This session of the console has ended: kyclone console opens a new one');
}

/** The environment of a call that a console session makes: one of its own header, else the session's. */
function environmentOf(headers: IncomingHttpHeaders, usual: Environment): Environment {
  const named = headers[ENVIRONMENT_HEADER];
  const environment = named === undefined ? usual : ENVIRONMENTS.find((each) => each === named);
  if (environment !== undefined) return environment;
  throw invalid(`Header ${ENVIRONMENT_HEADER} must be one of ${ENVIRONMENTS.join(', ')}`);
}

export interface AuthorizationContext extends FlowTokens {
  readonly consoleSessions: ConsoleSessions;
  readonly apiKeys: ApiKeys;
  readonly clientTokens: ClientTokens;
  readonly accessLog: AccessLog;
  readonly settings: LiveSettings;
  readonly clock: Clock;
  /** SHA-256 of the control token. */
  readonly controlTokenDigest: Buffer;
}

/**
 * Sets the caller of the call and checks its permission. Throws the errors of §0.4 for credential, scope and
 * permission.
 */
export function authorize(
  context: AuthorizationContext,
  call: Call,
  endpoint: Endpoint & { readonly key: EndpointKey },
): void {
  const { auth } = endpoint;
  if (auth.kind === 'open') return;
  // Beside a token, it only says who acts.
  call.session = authenticateSession(call.headers, context);
  if (auth.kind === 'control') {
    if (call.session) {
      requireOfSession(call.session, endpoint);
      return;
    }
    authenticateControl(call.headers, context.controlTokenDigest);
    return;
  }
  if (auth.kind === 'flow') {
    const caller = authenticateFlow(call.headers, context);
    call.caller = caller;
    if (auth.permission) requirePermission(caller, auth.permission);
    return;
  }
  if (auth.kind === 'token') {
    const caller =
      auth.place === 'path'
        ? context.clientTokens.authenticate(call.params['token'])
        : authenticateToken(call.headers, context.clientTokens);
    call.caller = caller;
    if (auth.may) requireAbility(caller, auth.may);
    if (auth.permission) requirePermission(caller, auth.permission);
    return;
  }
  const { secret_key_header } = context.settings.current.vocabulary;
  const { session, headers } = call;
  const caller = session
    ? actingFor(session, environmentOf(headers, session.environment), (space) =>
        context.apiKeys.enabledOf(space),
      )
    : authenticateKey(headers, context.apiKeys, secret_key_header);
  call.caller = caller;
  if (session) requireOfSession(session, endpoint);
  if (auth.scope) requireScope(caller, auth.scope);
  if (auth.permission) requirePermission(caller, auth.permission);
}

/** Writes an access log entry when a known credential may not read here, before the refusal is sent (contract §11). */
export async function logRefusal(
  context: AuthorizationContext,
  call: Call,
  { endpoint, refusal }: { endpoint: Endpoint; refusal: unknown },
): Promise<void> {
  const { id, caller } = call;
  if (!endpoint.logsRefusalAs || !caller || !(refusal instanceof ServiceError)) return;
  if (caller.kind === 'hosted_session') return;
  const { tenant, environment } = caller;
  const subject = caller.kind === 'client_token' ? caller : { tenant, environment };
  const entry = accessEntry({ caller, requestId: id, operator: operatorOfRefused(call) }, subject, {
    at: context.clock.now(),
    operation: endpoint.logsRefusalAs,
    // The identifiers are in a body that is no longer read.
    identifiers: [],
    outcome: 'refused',
    reason: null,
  });
  await context.accessLog.record(entry);
}

/**
 * Never Basic for tokens and pages: a browser would ask its user for a password and send it with each later request.
 */
export function challenge(endpoint: Endpoint | undefined, headers: IncomingHttpHeaders): string {
  if (headers[CONSOLE_HEADER] !== undefined) return 'Console';
  if (endpoint?.auth.kind === 'control') return 'Bearer';
  if (endpoint?.auth.kind === 'token' || endpoint?.auth.kind === 'flow') return 'ClientToken';
  return isOfBrowser(headers) ? 'SecretKey' : 'Basic realm="secret key as user name"';
}

/** Current browsers say where a request comes from and what it is for. */
function isOfBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || Object.keys(headers).some((name) => name.startsWith('sec-fetch-'));
}
