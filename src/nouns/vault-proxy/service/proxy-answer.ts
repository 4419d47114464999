/** Converts the result of an outgoing call to the service's terms (contract §3.3, Response). */
import { isUtf8 } from 'node:buffer';
import { FORWARD_PREFIX, INGRESS_SKIPPED_HEADER, UPSTREAM_STATUS_HEADER } from '../../requests/facts.ts';
import type { Rendering } from '../endpoints.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { withoutCredentials } from '../../../kernel/ids/ids.ts';
import { isJson, isJsonObject, jsonTextOf, type JsonValue } from '../../../kernel/text/json.ts';
import { OutboundFailure, type TargetAnswer } from '../../../outbound/index.ts';
import { maskFile } from '../../../vault/identifiers/index.ts';
import { maskedRequest } from '../../requests/service.ts';
import { cut, noteConnection, type Explanation } from './explanation.ts';
import { IngressRefused, type Ingress, type IngressNote } from './ingress.ts';

const CODES = {
  refused: 'proxy_target_refused',
  unreachable: 'proxy_upstream_unreachable',
  timeout: 'proxy_upstream_timeout',
  too_large: 'proxy_response_too_large',
} as const;

/** Converts outbound failures to the service's errors, and notes how far the request got. */
export async function attempted<T>(step: Promise<T>, explanation: Explanation): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    noteConnection(explanation, error);
    throw new ServiceError(CODES[error.kind], error.message, {
      cause: error,
      headers: error.status === undefined ? {} : headersOfTarget(error.status, error.headers),
    });
  }
}

/** An error after the target's response still reports the response (contract §3.3, Response). */
export async function answered(
  answer: TargetAnswer,
  step: Promise<Ingress>,
  explanation: Explanation,
): Promise<Ingress> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error instanceof IngressRefused) explanation.ingress = keptNotes(error.notes);
    const { code, message, context, cause } = error;
    const rules = error instanceof IngressRefused ? error.notes.map(({ rule }) => rule) : [];
    const withheld = withheldAnswer(answer, rules);
    if (withheld !== undefined) explanation.withheld = withheld;
    const headers = headersOfTarget(answer.status, answer.headers);
    throw new ServiceError(code, message, { headers, cause, ...(context && { context: { ...context } }) });
  }
}

/** The target's status, and its headers with the prefix, except the one named `own`. */
function headersOfTarget(
  status: number,
  headers: TargetAnswer['headers'] = {},
  own?: 'content-type',
): Record<string, string | readonly string[]> {
  const named = Object.entries(headers).map(
    ([name, value]) => [name === own ? name : FORWARD_PREFIX + name, value] as const,
  );
  return { [UPSTREAM_STATUS_HEADER]: String(status), ...Object.fromEntries(named) };
}

export function answerHeaders({ status, headers }: TargetAnswer, { skipped }: Ingress) {
  const marks = skipped.length > 0 ? { [INGRESS_SKIPPED_HEADER]: skipped.join(',') } : {};
  return { ...headersOfTarget(status, headers, 'content-type'), ...marks };
}

export function asText(body: Buffer): Pick<Rendering, 'body' | 'encoding'> {
  return isUtf8(body)
    ? { body: body.toString('utf8'), encoding: 'utf8' }
    : { body: body.toString('base64'), encoding: 'base64' };
}

/** What a developer may see of an answer that the caller doesn't get: the names of its headers, and its masked body. */
function withheldAnswer({ headers, body }: TargetAnswer, rules: readonly string[]): Explanation['withheld'] {
  const text = jsonTextOf(body) ?? '';
  const contentType = String(headers['content-type'] ?? '');
  return {
    headers: Object.keys(headers)
      .slice(0, KEPT_HEADERS)
      .map((name) => cut(withoutCredentials(name))),
    body: isJson(text)
      ? withoutNames(maskedRequest(JSON.parse(text)), rules)
      : maskFile(PLAIN_TYPE.test(contentType) ? contentType : '***', body.length),
  };
}

/** A member's name may be a value, as in a map of people. It is shown if a rule has it, or if answers often have it. */
function withoutNames(masked: JsonValue, rules: readonly string[]): JsonValue {
  if (Array.isArray(masked)) return masked.map((item) => withoutNames(item, rules));
  if (!isJsonObject(masked)) return masked;
  const shown = (name: string, at: number) =>
    USUAL_NAMES.has(name.toLowerCase()) || rules.some((rule) => rule.includes(name))
      ? name
      : `member ${at + 1}`;
  return Object.fromEntries(
    Object.entries(masked).map(([name, value], at) => [shown(name, at), withoutNames(value, rules)]),
  );
}

const USUAL_NAMES: ReadonlySet<string> = new Set([
  'code',
  'data',
  'description',
  'detail',
  'details',
  'error',
  'errors',
  'id',
  'message',
  'name',
  'reason',
  'result',
  'results',
  'status',
  'success',
  'title',
  'type',
]);
const KEPT_HEADERS = 100;
const PLAIN_TYPE = /^(?:text\/(?:plain|html|xml|csv)|application\/(?:xml|json|pdf|octet-stream))$/i;

export function keptNotes(notes: readonly IngressNote[]): Explanation['ingress'] {
  return notes.map((note) => ({ ...note, rule: cut(note.rule) }));
}
