/** Converts the result of an outgoing call to the service's terms (contract §3.3, Response). */
import { isUtf8 } from 'node:buffer';
import {
  FORWARD_PREFIX,
  INGRESS_SKIPPED_HEADER,
  UPSTREAM_STATUS_HEADER,
} from '../../contract/facts/requests.ts';
import type { Rendering } from '../../contract/vault-proxy.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { OutboundFailure, type TargetAnswer } from '../../outbound/index.ts';
import { cut, noteConnection, type Explanation } from './explanation.ts';
import { IngressRefused, type Ingress, type IngressNote } from './ingress.ts';

export interface ProxiedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

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
      ...(error.status !== undefined && { headers: { [UPSTREAM_STATUS_HEADER]: String(error.status) } }),
    });
  }
}

/** An error after the target's response still reports the response (contract §3.3, Response). */
export async function answered(
  status: number,
  step: Promise<Ingress>,
  explanation: Explanation,
): Promise<Ingress> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error instanceof IngressRefused) explanation.ingress = keptNotes(error.notes);
    const { code, message, context, cause } = error;
    const headers = { [UPSTREAM_STATUS_HEADER]: String(status) };
    throw new ServiceError(code, message, { headers, cause, ...(context && { context: { ...context } }) });
  }
}

export function answerHeaders(
  { status, headers }: TargetAnswer,
  { skipped }: Ingress,
): ProxiedAnswer['headers'] {
  const own: Record<string, string | readonly string[]> = { [UPSTREAM_STATUS_HEADER]: String(status) };
  for (const [name, value] of Object.entries(headers)) {
    own[name === 'content-type' ? name : FORWARD_PREFIX + name] = value;
  }
  if (skipped.length > 0) own[INGRESS_SKIPPED_HEADER] = skipped.join(',');
  return own;
}

export function asText(body: Buffer): Pick<Rendering, 'body' | 'encoding'> {
  return isUtf8(body)
    ? { body: body.toString('utf8'), encoding: 'utf8' }
    : { body: body.toString('base64'), encoding: 'base64' };
}

export function keptNotes(notes: readonly IngressNote[]): Explanation['ingress'] {
  return notes.map((note) => ({ ...note, rule: cut(note.rule) }));
}
