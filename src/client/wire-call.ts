/** What a call is on the wire, whatever carries it: path, query and headers, and the response's body or failure. */
import { attempt } from '../kernel/attempt.ts';
import { OPERATOR_HEADER, SEEN_HEADER } from '../nouns/access-log/facts.ts';
import { CLIENT_TOKEN_HEADER } from '../contract/facts/credentials.ts';
import { JSON_TYPE } from '../nouns/requests/facts.ts';
import { encodeOperator } from '../contract/operator-name.ts';
import { defined } from '../kernel/defined.ts';
import { withExactCustomValues } from '../kernel/text/json.ts';
import type { Connection } from './credentials.ts';
import { ApiError } from './errors.ts';

type Scalars = Readonly<Record<string, string | number | boolean | undefined>>;

export interface LooseOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Scalars;
  readonly headers?: Scalars;
  readonly token?: string;
  readonly body?: unknown;
  readonly timeoutMs?: number;
}
export function operatorHeader({
  operator,
  seen,
}: Pick<Connection, 'operator' | 'seen'>): Record<string, string> {
  return defined({
    [OPERATOR_HEADER]: operator && encodeOperator(operator),
    [SEEN_HEADER]: seen?.toString(),
  });
}

/** A response with a whole body. */
export interface ReceivedText {
  readonly status: number;
  readonly text: string;
  readonly contentType: string | undefined;
  /** `x-request-id`. */
  readonly requestId: string | undefined;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

export function failureOf(answer: ReceivedText, endpoint?: string): ApiError {
  const body = parseBody(answer);
  const failure = (typeof body === 'object' && body !== null ? body : {}) as Partial<ApiError>;
  return new ApiError({
    code: failure.code ?? 'internal_error',
    message: failure.message ?? `The daemon answered ${answer.status} without saying why`,
    status: answer.status,
    context: failure.context,
    requestId: answer.requestId,
    endpoint,
  });
}

/** The body as JSON if its content type says so, else as text. */
export function parseBody({ text, contentType = '' }: ReceivedText): unknown {
  if (!JSON_TYPE.test(contentType)) return text;
  return attempt(() => withExactCustomValues(JSON.parse(text), text));
}

/** Throws a TypeError, in the words of the caller, for an endpoint or options that a call cannot have. */
export function routeOf(
  key: string,
  { params, query, ...rest }: LooseOptions,
): { method: string; path: string } {
  const [, method, path] = /^([A-Z]+) (\/\S*)$/.exec(key) ?? [];
  if (method === undefined || path === undefined) {
    throw new TypeError(
      `${JSON.stringify(key)} is no endpoint: give the method, one blank and the path, as in 'POST /users'`,
    );
  }
  const unknown = Object.keys(rest).find((name) => !OPTIONS.has(name));
  if (unknown !== undefined) {
    throw new TypeError(
      `${key}: a call has no option ${unknown}; it has params, query, ${[...OPTIONS].join(', ')}`,
    );
  }
  return { method, path: fillPath(key, path, params) + queryString(query) };
}

const OPTIONS = new Set(['headers', 'body', 'token', 'timeoutMs']);

/** Refuses `.` and `..`: URL resolution would treat them as parent folders. */
function fillPath(key: string, template: string, params: Readonly<Record<string, unknown>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string')
      throw new TypeError(`${key}: ${name} is missing; give it as { params: { ${name}: '…' } }`);
    if (value === '' || value === '.' || value === '..') {
      throw new ApiError({ code: 'not_found', message: `${name} names nothing`, status: 404 });
    }
    return encodeURIComponent(value);
  });
}

export function headersOf({ headers, token }: LooseOptions): Record<string, string> {
  return { ...defined({ [CLIENT_TOKEN_HEADER]: token }), ...textMembers(headers) };
}

function queryString(query: Scalars = {}): string {
  const text = new URLSearchParams(textMembers(query)).toString();
  return text === '' ? '' : `?${text}`;
}

function textMembers(members: Scalars = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
