/**
 * The guided tour as data: a step is a request and the claims about its answer. `takeTour` makes the requests through
 * the CLI's own client, in order, and stops at nothing: a claim that doesn't hold is reported and the tour has failed.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '../../client/client.ts';
import { isText } from '../api/view.ts';

/** What later steps need of earlier answers, such as the id of the user. */
export type Facts = Map<string, string>;

export interface StepRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | Variable>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** A file instead of a body. */
  readonly file?: { readonly contentType: string; readonly base64: string };
  /** The client token that takes the place of the key, in its header unless it stands in the path. */
  readonly token?: Variable;
}

/** A secret, and the shell variable that stands for it where the tour is shown. */
export interface Variable {
  readonly variable: string;
  readonly value: string;
}

export interface StepAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came. */
  readonly bytes: Buffer;
  /** The body as text; of a file its size and type. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Claim {
  readonly says: string;
  readonly holds: (answer: StepAnswer, facts: Facts) => boolean;
}

export interface Step {
  readonly title: string;
  readonly request: (facts: Facts) => StepRequest;
  readonly claims: readonly Claim[];
  readonly remember?: (answer: StepAnswer, facts: Facts) => void;
}

export interface StepReport {
  readonly number: number;
  readonly title: string;
  readonly request: StepRequest;
  readonly status: number;
  readonly answer: string;
  readonly claims: readonly { readonly says: string; readonly holds: boolean }[];
}

/** Takes the steps in order and reports each as it is done; ends early when `isCancelled` says so. */
export async function takeTour(
  steps: readonly Step[],
  {
    client,
    report,
    isCancelled,
    stepsBefore = 0,
  }: {
    client: Client;
    report: (step: StepReport) => void;
    isCancelled: () => boolean;
    /** How many steps an earlier part of the tour had: the numbers go on from there. */
    stepsBefore?: number;
  },
): Promise<boolean> {
  const facts: Facts = new Map();
  let isTrue = true;
  for (const [index, step] of steps.entries()) {
    if (isCancelled()) return false;
    const request = step.request(facts);
    const answer = await ask(client, request);
    step.remember?.(answer, facts);
    const claims = step.claims.map(({ says, holds }) => ({ says, holds: holds(answer, facts) }));
    isTrue &&= claims.every(({ holds }) => holds);
    report({
      number: stepsBefore + index + 1,
      title: step.title,
      request,
      status: answer.status,
      answer: answer.text,
      claims,
    });
  }
  return isTrue;
}

/** A report that may be shown to others: of headers that are secrets only their variables. */
export function withoutSecrets(step: StepReport): StepReport {
  const { headers } = step.request;
  if (headers === undefined) return step;
  return { ...step, request: { ...step.request, headers: headerTexts(headers, shownVariable) } };
}

/** How a variable stands in a line for a shell. */
export function shownVariable({ variable }: Variable): string {
  return `$${variable}`;
}

function headerTexts(
  headers: Readonly<Record<string, string | Variable>>,
  textOf: (variable: Variable) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : textOf(value)]),
  );
}

/** A fact of an earlier step. Throws when the tour's steps stand in the wrong order. */
export function fact(facts: Facts, name: string): string {
  const value = facts.get(name);
  if (value === undefined) throw new Error(`the tour knows no ${name} yet`);
  return value;
}

/** The claim that nearly every step makes first. */
export function status(expected: number, code?: string): Claim {
  return {
    says: code === undefined ? `the answer is ${expected}` : `the answer is ${expected} ${code}`,
    holds: (answer) => answer.status === expected && answer.body['code'] === code,
  };
}

/** That none of these texts is anywhere in the answer. */
export function withoutText(says: string, texts: readonly string[]): Claim {
  return { says, holds: ({ text }) => texts.every((each) => !text.includes(each)) };
}

/** A member that is a list of records. */
export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

/** The records of an answer that is a list. */
export function records({ body }: StepAnswer): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(body) ? (body as Record<string, unknown>[]) : [];
}

async function ask(client: Client, request: StepRequest): Promise<StepAnswer> {
  const { method, path, headers, body, file, token } = request;
  const answer = await client.request({
    method,
    path,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(file && { 'content-type': file.contentType }),
      ...(token && !path.includes(token.value) && { 'x-fp-authorization': token.value }),
      ...(headers && headerTexts(headers, ({ value }) => value)),
    },
    body: file ? Buffer.from(file.base64, 'base64') : body && JSON.stringify(body),
  });
  const text = isText(answer)
    ? answer.body.toString('utf8')
    : `<${answer.body.length} bytes, ${answer.headers['content-type'] ?? ''}>`;
  const { status, headers: answered, body: bytes } = answer;
  return { status, headers: answered, bytes, text, body: asObject(text) };
}

function asObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
