/**
 * The guided tour as data: a part is a promise to the reader and the steps that show that it holds; a step is a
 * request, with claims about its response. `takeTour` makes the requests through the CLI's own client, in order. It
 * continues after a failed claim, but then the tour has failed.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Method } from '../../nouns/requests/facts.ts';
import { CLIENT_TOKEN_HEADER } from '../../contract/facts/credentials.ts';
import type { Client } from '../../client/client.ts';
import { jsonOf } from '../../kernel/json.ts';
import { isText } from '../api/view.ts';

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
interface Variable {
  readonly variable: string;
  readonly value: string;
}

export interface TourAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body as text; for a file, its size and type. */
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Claim {
  readonly says: string;
  readonly holds: (answer: TourAnswer, facts: Facts) => boolean;
  /** The part of the response that decides; by default status and body. */
  readonly found?: (answer: TourAnswer) => string;
}

/** `{user}` in the request is the fact of this name. */
export interface TourStep extends Omit<StepRequest, 'method' | 'path'> {
  readonly title: string;
  readonly call: `${Method} ${string}`;
  /** The first claim; by default status 200. */
  readonly answer?: Claim;
  readonly claims?: readonly Claim[];
  /** Facts for later steps: members of the body, or what is made of the response. */
  readonly remember?: Readonly<Record<string, string | ((answer: TourAnswer) => unknown)>>;
}

export interface TourPart {
  /** What the steps show, in the reader's words; at most 68 characters. */
  readonly promise: string;
  readonly steps: readonly TourStep[];
}

export interface PartReport {
  readonly promise: string;
  readonly ms: number;
  readonly steps: readonly StepReport[];
}

export interface StepReport {
  readonly number: number;
  readonly title: string;
  readonly request: StepRequest;
  readonly status: number;
  readonly answer: string;
  /** `found` is what contradicts a claim that doesn't hold. */
  readonly claims: readonly { readonly says: string; readonly holds: boolean; readonly found?: string }[];
}

/**
 * Runs the parts in order and reports each when it is done. Ends early when `isStopped` returns true. Returns whether
 * all is done and every claim holds.
 */
export async function takeTour(
  parts: readonly TourPart[],
  {
    client,
    report,
    isStopped,
    stepsBefore = 0,
  }: {
    client: Client;
    report: (part: PartReport) => void;
    isStopped: () => boolean;
    /** The number of steps in earlier parts of the tour. The numbering continues from there. */
    stepsBefore?: number;
  },
): Promise<boolean> {
  const facts: Facts = new Map();
  let number = stepsBefore;
  let isTrue = true;
  for (const { promise, steps } of parts) {
    const began = performance.now();
    const reports: StepReport[] = [];
    for (const step of steps) {
      if (isStopped()) return false;
      const request = requestOf(step, facts);
      const answer = await ask(client, request);
      for (const [name, from] of Object.entries(step.remember ?? {}))
        facts.set(name, String(typeof from === 'string' ? answer.body[from] : from(answer)));
      const claims = [step.answer ?? status(200), ...(step.claims ?? [])].map(
        ({ says, holds, found = statusAndText }) =>
          holds(answer, facts) ? { says, holds: true } : { says, holds: false, found: found(answer) },
      );
      number += 1;
      reports.push({
        number,
        title: step.title,
        request,
        status: answer.status,
        answer: answer.text,
        claims,
      });
    }
    report({ promise, ms: Math.round(performance.now() - began), steps: reports });
    isTrue &&= areKept(reports);
  }
  return isTrue;
}

export function areKept(steps: readonly StepReport[]): boolean {
  return steps.every(({ claims }) => claims.every(({ holds }) => holds));
}

/** A report without secrets: headers that are secrets show only their variables. */
export function withoutSecrets(step: StepReport): StepReport {
  const { headers } = step.request;
  if (headers === undefined) return step;
  return { ...step, request: { ...step.request, headers: headerTexts(headers, shownVariable) } };
}

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

function requestOf({ call, headers, body, file, token }: TourStep, facts: Facts): StepRequest {
  const [method, path] = call.split(' ');
  return filled({ method, path, headers, body, file, token }, facts) as StepRequest;
}

/** JSON with facts in place of their names in braces. Throws when the steps are in the wrong order. */
function filled(value: object, facts: Facts): object {
  const text = JSON.stringify(value).replace(/\{(\w+)\}/g, (_, name: string) => fact(facts, name));
  return JSON.parse(text) as object;
}

/** A fact of an earlier step. Throws when the steps are in the wrong order. */
export function fact(facts: Facts, name: string): string {
  const value = facts.get(name);
  if (value === undefined) throw new Error(`the tour knows no ${name} yet`);
  return value;
}

export function status(expected: number, code?: string): Claim {
  return {
    says: code === undefined ? `the answer is ${expected}` : `the answer is ${expected} ${code}`,
    holds: (answer) => answer.status === expected && answer.body['code'] === code,
  };
}

/** Claims that a header of the response has this value. */
export function header(name: string, expected: string | undefined, says: string): Claim {
  return {
    says,
    holds: ({ headers }) => headers[name] === expected,
    found: ({ headers }) => `${name}: ${String(headers[name] ?? 'absent')}`,
  };
}

function statusAndText({ status: code, text }: TourAnswer): string {
  return `${code} ${text}`;
}

/** Claims that none of these texts occurs in the response. */
export function withoutText(says: string, texts: readonly string[]): Claim {
  const among = ({ text }: TourAnswer) => texts.filter((each) => text.includes(each));
  return { says, holds: (answer) => among(answer).length === 0, found: (answer) => among(answer).join(', ') };
}

/** Claims that members of the body have these values, in which `{user}` is a fact. */
export function has(says: string, members: Readonly<Record<string, unknown>>): Claim {
  const holds = ({ body }: TourAnswer, facts: Facts) =>
    Object.entries(filled(members, facts)).every(([name, value]) => isDeepStrictEqual(body[name], value));
  return { says, holds };
}

/** Claims that a member of the body is a text of this form. */
export function matches(says: string, member: string, form: RegExp): Claim {
  return { says, holds: ({ body }) => form.test(String(body[member])) };
}

/** Claims that the context of an error has these names. */
export function names(says: string, wanted: readonly string[]): Claim {
  const of = ({ body }: TourAnswer) => Object.keys(body['context'] ?? {});
  return { says, holds: (answer) => of(answer).sort().join() === wanted.toSorted().join() };
}

/** Claims that a list in the body has these rows, each with the texts of these members. */
export function lists(
  says: string,
  member: string,
  columns: readonly string[],
  rows: readonly string[],
): Claim {
  const textOf = (record: Readonly<Record<string, unknown>>) =>
    columns.map((column) => String(record[column])).join(' ');
  const holds = ({ body }: TourAnswer, facts: Facts) =>
    isDeepStrictEqual(listOf(body[member]).map(textOf), filled(rows, facts));
  return { says, holds };
}

export function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

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
  const value = jsonOf(text) ?? {};
  return typeof value === 'object' ? (value as Record<string, unknown>) : {};
}
