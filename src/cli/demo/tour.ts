/**
 * The guided tour as data: a part is a promise to the reader and the steps that show that it holds; a step is a
 * request, with claims about its response. `takeTour` makes the requests through the CLI's own client, in order. It
 * continues after a failed claim, but then the tour has failed.
 */
import { attempt } from '../../kernel/attempt.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Method } from '../../nouns/requests/facts.ts';
import { CLIENT_TOKEN_HEADER } from '../../contract/facts/credentials.ts';
import type { Client } from '../../client/client.ts';
import { jsonOf } from '../../kernel/text/json.ts';
import { isText } from '../api/view.ts';
import { parsePath, valuesAt } from '../shell/select.ts';

/** Values from earlier responses that later steps need, such as the id of the user. */
type Facts = Map<string, string>;

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

interface TourAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** The body as text; for a file, its size and type. */
  readonly text: string;
  readonly body: unknown;
}

/** By the path of a member, as `--field` takes it; `{user}` in a text is the fact of this name. */
type ByPath<Value> = Readonly<Record<string, Value>>;

/** What holds about a response: all of its members do. */
export interface Claim {
  readonly says: string;
  /** Members that have these values. */
  readonly is?: ByPath<unknown>;
  /** Members that are texts of this form. */
  readonly form?: ByPath<RegExp>;
  /** Members that are numbers above these. */
  readonly above?: ByPath<string>;
  /** Objects in which no member has such a name. */
  readonly noNames?: ByPath<RegExp>;
  /** A list that has entries with these members. */
  readonly some?: { readonly of: string; readonly have: readonly object[] };
  /** A list that has these rows, each with the texts of these members. */
  readonly rows?: {
    readonly of: string;
    readonly columns: readonly string[];
    readonly are: readonly string[];
  };
  readonly header?: Readonly<Record<string, string>>;
  /** The names in the context of an error. */
  readonly context?: readonly string[];
  /** Texts that don't occur in the response. */
  readonly without?: readonly string[];
  /** The whole body, in base64. */
  readonly bytes?: string;
  /** What no data can claim. */
  readonly holds?: (body: Readonly<Record<string, unknown>>) => boolean;
}

/** `{user}` in the request is the fact of this name. */
export interface TourStep extends Omit<StepRequest, 'method' | 'path'> {
  readonly title: string;
  readonly call: `${Method} ${string}`;
  /** The first claim: the status, and the code of a failure; by default 200. */
  readonly answer?: string;
  readonly claims?: readonly Claim[];
  /** Facts for later steps: members of the body, or `headers.NAME`. */
  readonly remember?: Readonly<Record<string, string>>;
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
    known = {},
    stepsBefore = 0,
  }: {
    client: Client;
    report: (part: PartReport) => void;
    isStopped: () => boolean;
    /** Facts to begin with. */
    known?: Readonly<Record<string, string>>;
    /** The number of steps in earlier parts of the tour. The numbering continues from there. */
    stepsBefore?: number;
  },
): Promise<boolean> {
  const facts: Facts = new Map(Object.entries(known));
  let number = stepsBefore;
  let isTrue = true;
  for (const { promise, steps } of parts) {
    const began = performance.now();
    const reports: StepReport[] = [];
    for (const step of steps) {
      if (isStopped()) return false;
      const request = requestOf(step, facts);
      const answer = await ask(client, request);
      for (const [name, path] of Object.entries(step.remember ?? {}))
        facts.set(name, String(path.startsWith('headers.') ? at(answer, path) : at(answer.body, path)));
      const claims = [
        statusClaim(step.answer ?? '200', answer),
        ...(step.claims ?? []).map(({ says, ...claim }) => ({
          says,
          found: contradiction(claim, answer, facts),
        })),
      ].map(({ says, found }) =>
        found === undefined ? { says, holds: true } : { says, holds: false, found },
      );
      number += 1;
      const { status, text } = answer;
      reports.push({ number, title: step.title, request, status, answer: text, claims });
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
function filled<Value extends object>(value: Value, facts: Facts): Value {
  const text = JSON.stringify(value).replace(/\{(\w+)\}/g, (_, name: string) => {
    const known = facts.get(name);
    if (known === undefined) throw new Error(`the tour knows no ${name} yet`);
    return known;
  });
  return JSON.parse(text) as Value;
}

/** What is at a path: one value, or those of all entries of a list; undefined for a gap. */
function at(value: unknown, path: string): unknown {
  if (path === '') return value;
  const found = attempt(() => valuesAt(value, parsePath(path)));
  return path.includes('[]') ? found : found?.[0];
}

function listAt(value: unknown, path: string): readonly object[] {
  const found = at(value, path);
  return Array.isArray(found) ? (found as object[]) : [];
}

function statusClaim(expected: string, { status, text, body }: TourAnswer) {
  const code = at(body, 'code') as string | undefined;
  const given = code === undefined ? String(status) : `${status} ${code}`;
  return { says: `the answer is ${expected}`, found: given === expected ? undefined : `${status} ${text}` };
}

/** What contradicts the claim; undefined if it holds. */
function contradiction(claim: Omit<Claim, 'says'>, answer: TourAnswer, facts: Facts): string | undefined {
  const { status, headers, bytes, text, body } = answer;
  const { form = {}, noNames = {}, holds, ...data } = claim;
  const {
    is = {},
    above = {},
    some,
    rows,
    header = {},
    context,
    without = [],
    ...whole
  } = filled(data, facts);
  const among = without.filter((each) => text.includes(each));
  if (among.length > 0) return among.join(', ');
  const other = Object.entries(header).find(([name, value]) => headers[name] !== value);
  if (other !== undefined) return `${other[0]}: ${String(headers[other[0]] ?? 'absent')}`;
  const every = <Value>(members: ByPath<Value>, judge: (value: unknown, wanted: Value) => boolean) =>
    Object.entries(members).every(([path, wanted]) => judge(at(body, path), wanted));
  const isTrue =
    every(is, isDeepStrictEqual) &&
    every(form, (value, wanted) => [value].flat().every((one) => wanted.test(String(one)))) &&
    every(above, (value, least) => Number(value) > Number(least)) &&
    every(noNames, (value, named) => !Object.keys(value ?? {}).some((name) => named.test(name))) &&
    (some?.have.every((members) => listAt(body, some.of).some((entry) => has(entry, members))) ?? true) &&
    (rows === undefined || isDeepStrictEqual(rowsOf(body, rows), rows.are)) &&
    (context === undefined || hasNames(at(body, 'context'), context)) &&
    (whole.bytes === undefined || bytes.toString('base64') === whole.bytes) &&
    holds?.(body as Readonly<Record<string, unknown>>) !== false;
  return isTrue ? undefined : `${status} ${text}`;
}

function has(entry: object, members: object): boolean {
  return Object.entries(members).every(([name, value]) => isDeepStrictEqual(at(entry, name), value));
}

function rowsOf(body: unknown, { of, columns }: NonNullable<Claim['rows']>): string[] {
  return listAt(body, of).map((entry) => columns.map((column) => String(at(entry, column))).join(' '));
}

function hasNames(value: unknown, names: readonly string[]): boolean {
  return (
    Object.keys(value ?? {})
      .sort()
      .join() === names.toSorted().join()
  );
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
  return { status, headers: answered, bytes, text, body: jsonOf(text) };
}
