/** Decides whether a caller may call an endpoint, and records refusals (contract §0.2, §0.4). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { requirePermission, requireScope, type ApiKeys } from '../resources/api-keys/index.ts';
import { requireAbility, type ClientTokens } from '../resources/client-tokens/index.ts';
import type { LiveSettings } from '../resources/settings/index.ts';
import { accessEntry } from '../vault/access-entry.ts';
import type { AccessLog } from '../vault/access-log.ts';
import {
  authenticateControl,
  authenticateFlow,
  authenticateKey,
  authenticateToken,
  type FlowTokens,
} from './authentication.ts';
import type { Call } from './call.ts';
import { operatorOfRefused } from './operator.ts';

export interface AuthorizationContext extends FlowTokens {
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
export function authorize(context: AuthorizationContext, call: Call, { auth }: Endpoint): void {
  if (auth.kind === 'open') return;
  if (auth.kind === 'control') {
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
  const caller = authenticateKey(call.headers, context.apiKeys, secret_key_header);
  call.caller = caller;
  if (auth.scope) requireScope(caller, auth.scope);
  if (auth.permission) requirePermission(caller, auth.permission);
}

/** Writes an access log entry when a known credential may not read here, before the refusal is sent (contract §11). */
export async function logRefusal(
  context: AuthorizationContext,
  { id, caller, request }: Call,
  { endpoint, refusal }: { endpoint: Endpoint; refusal: unknown },
): Promise<void> {
  if (!endpoint.logsRefusalAs || !caller || !(refusal instanceof ServiceError)) return;
  if (caller.kind === 'hosted_session') return;
  const { tenant, environment } = caller;
  const subject = caller.kind === 'client_token' ? caller : { tenant, environment };
  const entry = accessEntry({ caller, requestId: id, operator: operatorOfRefused(request) }, subject, {
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
  if (endpoint?.auth.kind === 'control') return 'Bearer';
  if (endpoint?.auth.kind === 'token' || endpoint?.auth.kind === 'flow') return 'ClientToken';
  return isOfBrowser(headers) ? 'SecretKey' : 'Basic realm="secret key as user name"';
}

/** Current browsers say where a request comes from and what it is for. */
function isOfBrowser(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined || Object.keys(headers).some((name) => name.startsWith('sec-fetch-'));
}
