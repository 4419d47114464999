/**
 * The guided tour as data: a step is a request, with claims about its response. `takeTour` makes the requests through
 * the CLI's own client, in order. It continues after a failed claim, but then the tour has failed.
 */
import { curlText } from '../../kernel/curl-text.ts';
import { shQuoted } from '../../kernel/shell-word.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Method } from '../../contract/facts/requests.ts';
import { CLIENT_TOKEN_HEADER } from '../../contract/facts/credentials.ts';
import type { Client } from '../../client/client.ts';
import { isText } from '../api/view.ts';
import { printable, type Style } from '../shell/output.ts';

/** Values from earlier responses that later steps need, such as the id of the user. */
export type Facts = Map<string, string>;

export interface StepRequest {
  readonly method: Method;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | Variable>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Replaces the body. */
  readonly file?: { readonly contentType: string; readonly base64: string };
  /** The client token that replaces the key. It goes into its header, unless it is part of the path. */
  readonly token?: Variable;
}

/** A secret, and the shell variable that represents it when the tour is shown. */
export interface Variable {
  readonly variable: string;
  readonly value: string;
}

export interface TourAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The body as received. */
  readonly bytes: Buffer;
  /** The body as text; for a file, its size and type. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Claim {
  readonly says: string;
  readonly holds: (answer: TourAnswer, facts: Facts) => boolean;
}

export interface TourStep {
  readonly title: string;
  readonly request: (facts: Facts) => StepRequest;
  readonly claims: readonly Claim[];
  readonly remember?: (answer: TourAnswer, facts: Facts) => void;
}

export interface StepReport {
  readonly number: number;
  readonly title: string;
  readonly request: StepRequest;
  readonly status: number;
  readonly answer: string;
  readonly claims: readonly { readonly says: string; readonly holds: boolean }[];
}

/** Runs the steps in order and reports each when it is done. Ends early when `isCancelled` returns true. */
export async function takeTour(
  steps: readonly TourStep[],
  {
    client,
    report,
    isCancelled,
    stepsBefore = 0,
  }: {
    client: Client;
    report: (step: StepReport) => void;
    isCancelled: () => boolean;
    /** The number of steps in earlier parts of the tour. The numbering continues from there. */
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

/** A report without secrets: headers that are secrets show only their variables. */
export function withoutSecrets(step: StepReport): StepReport {
  const { headers } = step.request;
  if (headers === undefined) return step;
  return { ...step, request: { ...step.request, headers: headerTexts(headers, shownVariable) } };
}

/** A variable as written in a shell command. */
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

/** A fact of an earlier step. Throws when the steps are in the wrong order. */
export function fact(facts: Facts, name: string): string {
  const value = facts.get(name);
  if (value === undefined) throw new Error(`the tour knows no ${name} yet`);
  return value;
}

/** The first claim of nearly every step. */
export function status(expected: number, code?: string): Claim {
  return {
    says: code === undefined ? `the answer is ${expected}` : `the answer is ${expected} ${code}`,
    holds: (answer) => answer.status === expected && answer.body['code'] === code,
  };
}

/** Claims that none of these texts occurs in the response. */
export function withoutText(says: string, texts: readonly string[]): Claim {
  return { says, holds: ({ text }) => texts.every((each) => !text.includes(each)) };
}

/** A member that is a list of records. */
export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

/** The records of a response that is a list. */
export function records({ body }: TourAnswer): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(body) ? (body as Record<string, unknown>[]) : [];
}

async function ask(client: Client, request: StepRequest): Promise<TourAnswer> {
  const { method, path, headers, body, file, token } = request;
  const answer = await client.request({
    method,
    path,
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...(file && { 'content-type': file.contentType }),
      ...(token && !path.includes(token.value) && { [CLIENT_TOKEN_HEADER]: token.value }),
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

const LONGEST_ANSWER = 400;

/** One step as text: the request as a shell command (after `kyclone env`), the response, and the claims. */
export function stepView(step: StepReport, style: Style): string {
  const answer =
    step.answer.length > LONGEST_ANSWER ? `${step.answer.slice(0, LONGEST_ANSWER)}…` : step.answer;
  return [
    style.bold(`${step.number}. ${step.title}`),
    `   ${style.dim('$')} ${printable(curlLine(step.request))}`,
    `   ${style.dim(String(step.status))} ${printable(answer)}`,
    ...step.claims.map(({ says, holds }) => `   ${holds ? style.good('✓') : style.bad('✗')} ${says}`),
    '',
  ].join('\n');
}

/** Shows credentials as variables, because demos are shown to others. */
export function curlLine(request: StepRequest): string {
  const { method, body, file, token } = request;
  const path =
    token === undefined ? request.path : request.path.replace(token.value, () => shownVariable(token));
  const command = curlText(
    {
      options: ['-s'],
      method,
      url: `"$KYCLONE_BASE_URL${path}"`,
      ...credentialOf(request),
      headers: headersOf(request),
      body: [
        ...(body === undefined ? [] : [`-d ${shQuoted(JSON.stringify(body))}`]),
        ...(file === undefined ? [] : ['--data-binary @-']),
      ],
    },
    ' ',
  );
  return file === undefined ? command : `printf %s ${file.base64} | base64 -d | ${command}`;
}

/** Shows a wrong key literally, because no variable contains one. */
function credentialOf({ path, headers, token }: StepRequest) {
  if (path.startsWith('/_kyclone/')) return { credential: 'control' } as const;
  if (token !== undefined) return { credential: undefined };
  if (headers?.['authorization'] === undefined) return { credential: 'key' } as const;
  return { credential: undefined, options: ['-s', '-u sk_test_wrong:'] };
}

function headersOf({ path, headers = {}, body, file, token }: StepRequest): string[] {
  return [
    ...(token === undefined || path.includes(token.value)
      ? []
      : [`"x-fp-authorization: ${shownVariable(token)}"`]),
    ...Object.entries(headers)
      .filter(([name]) => name !== 'authorization')
      .map(([name, value]) =>
        typeof value === 'string' ? shQuoted(`${name}: ${value}`) : `"${name}: ${shownVariable(value)}"`,
      ),
    ...(body === undefined ? [] : ['content-type:application/json']),
    ...(file === undefined ? [] : [`content-type:${file.contentType}`]),
  ];
}

export function demoEndView(isTrue: boolean, steps: number, style: Style): string {
  return isTrue
    ? style.good(
        `All ${steps} steps did what they claim. Everything of this tour is deleted; kyclone start -d starts your own instance.`,
      )
    : style.bad('Some of the claims above did not hold.');
}
