/** What may be shown of a request that isn't sent: names, ids and choices; values and secrets are `***`. */
import type { UnsentRequest } from '../../../client/unsent.ts';
import { isJsonObject, type JsonValue } from '../../../kernel/json.ts';

export const MASK = '***';

/** Members that hold a secret, what somebody searches for, or headers for a third party. */
const SECRET_NAME = /secret|passphrase|password|token|^(?:api_)?key$|^search$|^q$|^headers$|credential/;
/** Headers that say what is asked for; any other may hold anything. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([
  ...['content-type', 'accept', 'x-sandbox-id', 'x-external-id', 'x-idempotency-id', 'x-fp-vault-version'],
  ...['x-fp-ignore-luhn-validation', 'x-fp-id', 'x-fp-proxy-method', 'x-fp-proxy-access-reason'],
  ...['x-fp-proxy-pin-cert', 'x-fp-proxy-ingress-content-type', 'x-fp-proxy-ingress-rule'],
]);
const URL_HEADERS: ReadonlySet<string> = new Set(['x-fp-proxy-target-url', 'x-fp-path-and-query']);
const PATH_TOKEN = /^(\/users\/vault\/decrypt\/)[^/?]+/;

export interface Masked {
  readonly request: UnsentRequest;
  /** Whether anything was left out. */
  readonly isMasked: boolean;
}

export function maskRequest(request: UnsentRequest): Masked {
  const masked = {
    ...request,
    path: maskPath(request.path),
    headers: Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, maskHeader(name.toLowerCase(), value)]),
    ),
    body: request.body === undefined ? undefined : maskBody(request.body, request.isRaw),
  };
  return { request: masked, isMasked: fingerprint(masked) !== fingerprint(request) };
}

function fingerprint({ path, headers, body }: UnsentRequest): string {
  return JSON.stringify([path, headers, body === undefined ? '' : Buffer.from(body).toString('base64')]);
}

function maskPath(path: string): string {
  const [before = '', ...query] = path.replace(PATH_TOKEN, `$1${MASK}`).split('?');
  if (query.length === 0) return before;
  const parts = query.join('?').split('&');
  return `${before}?${parts.map((part) => maskPair(part, isOpenQuery)).join('&')}`;
}

/** A query of somebody else's: none of its values is ours to judge. */
function maskAddress(address: string): string {
  const [before = '', ...query] = address.split('?');
  if (query.length === 0) return before;
  const parts = query.join('?').split('&');
  return `${before}?${parts.map((part) => maskPair(part, () => false)).join('&')}`;
}

function maskPair(pair: string, isOpen: (name: string) => boolean): string {
  const [name = '', ...value] = pair.split('=');
  return value.length === 0 || isOpen(name) ? pair : `${name}=${MASK}`;
}

function isOpenQuery(name: string): boolean {
  return !SECRET_NAME.test(name) && !name.includes('.');
}

function maskHeader(name: string, value: string): string {
  if (URL_HEADERS.has(name)) return maskAddress(value);
  return OPEN_HEADERS.has(name) ? value : MASK;
}

/** A body that a command made keeps what isn't a value; of one that was typed whole, only names are left. */
function maskBody(body: string | Uint8Array, isRaw: boolean): string {
  try {
    const value = JSON.parse(Buffer.from(body).toString('utf8')) as JsonValue;
    return JSON.stringify(isRaw ? maskAll(value) : maskValues(value));
  } catch {
    return MASK;
  }
}

function maskValues(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(maskValues);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name.includes('.') || SECRET_NAME.test(name) ? maskAll(inner) : maskValues(inner),
    ]),
  );
}

/** null deletes, which is no value. */
function maskAll(value: JsonValue): JsonValue {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(maskAll);
  if (!isJsonObject(value)) return MASK;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner)]));
}
