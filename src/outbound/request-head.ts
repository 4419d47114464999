/** Builds the head of a request, before a connection is opened. Any part that could inject a line is refused. */
import { OutboundFailure, type OutgoingRequest } from './outbound.ts';

export interface RequestHead {
  readonly method: string;
  readonly path: string;
  /** In the order they are sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: OutgoingRequest['body'];
}

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 9110 §5.5. Text must have one byte per character. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Set here from the actual request. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
]);
const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Methods that send `content-length: 0` when there is no body (RFC 9110 §8.6). */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Throws OutboundFailure `refused`, which doesn't name the header. */
export function requestHead(url: URL, { method, headers, body }: OutgoingRequest): RequestHead {
  if (!TOKEN.test(method) || method === 'CONNECT') throw refused('method');
  for (const [name, value] of Object.entries(headers)) {
    if (!TOKEN.test(name) || OWN_HEADERS.has(name.toLowerCase())) throw refused('header name');
    if (!FIELD_VALUE.test(value)) throw refused('header value');
  }
  const sent = METHODS_WITHOUT_BODY.has(method) ? undefined : body;
  const length = sent?.byteLength ?? (METHODS_WITH_BODY.has(method) ? 0 : undefined);
  return {
    method,
    path: url.pathname + url.search,
    headers: {
      host: url.host,
      ...headers,
      ...(length !== undefined && { 'content-length': String(length) }),
      connection: 'close',
    },
    body: sent,
  };
}

function refused(part: string): OutboundFailure {
  return new OutboundFailure('refused', `The request has a ${part} that can't be sent`);
}
