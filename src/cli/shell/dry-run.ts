/**
 * `--dry-run`: prints the request that a command would send, as a curl command. It sends nothing, not even reads: the
 * first request ends the command.
 *
 * Names, ids and choices are shown. Values are `***` unless requested, and credentials are shell variables.
 */
import { attempt } from '../../kernel/attempt.ts';
import { BASE_URL, curlCommand } from '../../client/curl.ts';
import { API_KEY, CONTROL_TOKEN } from '../../kernel/text/curl-text.ts';
import type { UnsentRequest } from '../../client/unsent.ts';
import { withoutLastSlashes } from '../../kernel/text/text.ts';
import type { DaemonAccess } from './daemon-access.ts';
import { describeFailure } from './failure.ts';
import { EXIT } from './exit-codes.ts';
import { OPERATOR_HEADER } from '../../nouns/access-log/facts.ts';
import { DOWNLOAD_PREFIX, HEADERS, PROXY_HEADERS } from '../../nouns/requests/facts.ts';
import { SECRET_NAME, SECRET_SHOWN } from '../../contract/facts/credentials.ts';
import { defined } from '../../kernel/defined.ts';
import { isJsonObject, jsonOf, jsonText, type JsonValue, parseJson } from '../../kernel/text/json.ts';

/** Headers with safe values. Any other header may contain anything. */
const OPEN_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'accept',
  HEADERS.sandboxId,
  HEADERS.externalId,
  HEADERS.idempotencyId,
  HEADERS.vaultVersion,
  HEADERS.ignoreLuhn,
  PROXY_HEADERS.entity,
  PROXY_HEADERS.method,
  PROXY_HEADERS.accessReason,
  PROXY_HEADERS.pins,
  PROXY_HEADERS.ingressContentType,
  PROXY_HEADERS.ingressRule,
  OPERATOR_HEADER,
]);
const URL_HEADERS: ReadonlySet<string> = new Set([PROXY_HEADERS.targetUrl, PROXY_HEADERS.pathAndQuery]);
const PATH_TOKEN = new RegExp(`^(${DOWNLOAD_PREFIX})[^/?]+`);

function maskRequest(request: UnsentRequest): { request: UnsentRequest; isMasked: boolean } {
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
  return maskQuery(
    path.replace(PATH_TOKEN, `$1${SECRET_SHOWN}`),
    (name) => !SECRET_NAME.test(name) && !name.includes('.'),
  );
}

function maskQuery(address: string, isOpen: (name: string) => boolean): string {
  const [before = '', ...query] = address.split('?');
  if (query.length === 0) return before;
  const parts = query.join('?').split('&');
  const masked = parts.map((part) => {
    const [name = '', ...value] = part.split('=');
    return value.length === 0 || isOpen(name) ? part : `${name}=${SECRET_SHOWN}`;
  });
  return `${before}?${masked.join('&')}`;
}

function maskHeader(name: string, value: string): string {
  // The query of another server's address: any of its values may be a secret.
  if (URL_HEADERS.has(name)) return maskQuery(value, () => false);
  return OPEN_HEADERS.has(name) ? value : SECRET_SHOWN;
}

/**
 * In a body that a command built, only values are masked. In a body that the user typed, everything except names is.
 */
function maskBody(body: string | Uint8Array, isRaw: boolean): string {
  const text = Buffer.from(body).toString('utf8');
  return attempt(() => jsonText(maskValues(parseJson(text), isRaw))) ?? SECRET_SHOWN;
}

/** Masks everything inside a secret member, too. null deletes a value, and is not one itself. */
function maskValues(value: JsonValue, isSecret: boolean): JsonValue {
  if (Array.isArray(value)) return value.map((entry) => maskValues(entry, isSecret));
  if (!isJsonObject(value)) return isSecret && value !== null ? SECRET_SHOWN : value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      maskValues(inner, isSecret || name.includes('.') || SECRET_NAME.test(name)),
    ]),
  );
}

/** A placeholder for a daemon that is not contacted. Its credentials are not real, and its address leads nowhere. */
export const NOT_CONTACTED: DaemonAccess = {
  baseUrl: 'http://kyclone.invalid',
  keys: { sandbox: 'none', live: 'none' },
  controlToken: 'none',
  locator: undefined,
};

/** The address of the daemon; undefined if there is none. */
export async function addressOf(access: () => Promise<DaemonAccess>): Promise<string | undefined> {
  try {
    return (await access()).baseUrl;
  } catch (error) {
    if (describeFailure(error).exitCode === EXIT.unreachable) return undefined;
    throw error;
  }
}

export interface Described {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export function describeUnsent(
  unsent: UnsentRequest,
  { baseUrl, withValues, isLive }: { baseUrl: string | undefined; withValues: boolean; isLive: boolean },
) {
  const masked = maskRequest(unsent);
  const request = withValues ? unsent : masked.request;
  return {
    result: { requests: [described(request, baseUrl)] },
    curl: curlCommand(request, baseUrl),
    notes: [
      'Nothing was sent. If a command makes several requests, this is the first.',
      ...(masked.isMasked && !withValues ? ['Values are shown as ***; --with-values prints them.'] : []),
      ...(isLive && unsent.credential === 'key' ? [`KYCLONE_API_KEY must be the live key: ${LIVE}`] : []),
    ],
  };
}

const LIVE = 'eval "$(kyclone env --live)"';

function described(
  { method, path, headers, credential, body, file }: UnsentRequest,
  baseUrl?: string,
): Described {
  const authorization = credential === 'key' ? `Basic ${API_KEY}:` : `Bearer ${CONTROL_TOKEN}`;
  return {
    method,
    url: withoutLastSlashes(baseUrl ?? BASE_URL) + path,
    headers: { ...(credential !== 'none' && { authorization }), ...headers },
    ...defined({ body: file ? { file: file.path ?? '-' } : body === undefined ? body : parsed(body) }),
  };
}

/** JSON parsed; any other text unchanged, bytes in base64. */
function parsed(body: string | Uint8Array): unknown {
  const text = Buffer.from(body).toString('utf8');
  const value = jsonOf(text);
  if (value !== undefined) return value;
  const bytes = Buffer.from(body);
  return Buffer.from(text, 'utf8').equals(bytes) ? text : { base64: bytes.toString('base64') };
}
