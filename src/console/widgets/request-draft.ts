/** What was filled in for an operation, and the request that results from it. */
import { attempt } from '../../kernel/attempt.ts';
import { isJsonObject, jsonText, parseJson } from '../../kernel/text/json.ts';
import type { CredentialKind, Operation, RequestField } from './request-operations.ts';

export interface RequestDraft {
  readonly operation: string;
  readonly as: CredentialKind;
  /** By `fieldKey`. An empty text is not sent. */
  readonly values: Readonly<Record<string, string>>;
  /** The members of the body that have a field. */
  readonly members: readonly string[];
  /** The body as text, in place of its fields. */
  readonly json: string | undefined;
}

/** A request without its credential, which `send` and the code of each language add. */
export interface BuiltRequest {
  readonly method: string;
  /** With the query, encoded. */
  readonly path: string;
  readonly credential: CredentialKind;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string | undefined;
}

export interface BuildResult {
  readonly request: BuiltRequest;
  /** By `fieldKey`; `body` is the body as text. */
  readonly problems: Readonly<Record<string, string>>;
}

const JSON_KEY = 'body';
/** A body of more members, such as that of a vault, has fields only for those that it needs or that were added. */
const MOST_MEMBERS = 14;

export function fieldKey({ place, name }: Pick<RequestField, 'place' | 'name'>): string {
  return `${place}:${name}`;
}

/** Names of a path that mean the same thing in every operation; `id` does not. */
const SAME_EVERYWHERE = /^fp_|_id$/;

/** What was filled in for each operation; the last is that of the present one. */
export type KeptDrafts = Map<string, RequestDraft>;

/** Returns what was filled in for an operation, otherwise its example, about what the draft before was about. */
export function nextDraft(operation: Operation, kept: KeptDrafts, before?: RequestDraft): RequestDraft {
  const own = kept.get(operation.id);
  return own === undefined
    ? firstDraft(operation, before)
    : { ...own, values: { ...own.values, ...sameIn(operation, before) } };
}

/** Returns the draft of an operation, with its example as body, and about what the draft before was about. */
export function firstDraft(operation: Operation, before?: RequestDraft): RequestDraft {
  const { body } = operation;
  const example = isJsonObject(body?.example) ? body.example : undefined;
  const members = body?.members ?? [];
  const isShort = members.length <= MOST_MEMBERS;
  const named = members.filter(({ isRequired }) => isShort || isRequired).map(({ name }) => name);
  const isFields = body?.members !== undefined && (body.example === undefined || example !== undefined);
  return {
    operation: operation.id,
    as: operation.credentials[0] ?? 'none',
    values: { ...(example && valuesOf(operation, example)), ...sameIn(operation, before) },
    members: [...new Set([...Object.keys(example ?? {}), ...named])],
    json: isFields || body === undefined || body.isFile ? undefined : printed(body.example),
  };
}

function sameIn({ fields }: Operation, before: RequestDraft | undefined): Record<string, string> {
  const keys = fields
    .filter(({ place, name }) => place === 'path' && SAME_EVERYWHERE.test(name))
    .map((field) => fieldKey(field));
  return Object.fromEntries(Object.entries(before?.values ?? {}).filter(([key]) => keys.includes(key)));
}

/** Returns the field of a member: of the schema, or a new one that takes JSON or a text. */
export function memberField(operation: Operation, name: string): RequestField {
  const known = operation.body?.members?.find((each) => each.name === name);
  return known ?? { place: 'body', name, kind: 'any', choices: [], isRequired: false, description: '' };
}

/** Returns the draft with the body as text. */
export function asJson(operation: Operation, draft: RequestDraft): RequestDraft {
  return { ...draft, json: printed(objectOf(operation, draft).value) };
}

/** Returns the draft with the body as fields; undefined for what is no JSON object, or has what no field can say. */
export function asFields(operation: Operation, draft: RequestDraft): RequestDraft | undefined {
  const parsed = parsedJson(draft.json?.trim() || '{}');
  if (!isJsonObject(parsed)) return undefined;
  const others = Object.entries(draft.values).filter(([key]) => !key.startsWith('body:'));
  const next = {
    ...draft,
    json: undefined,
    values: { ...Object.fromEntries(others), ...valuesOf(operation, parsed) },
    members: [...new Set([...draft.members, ...Object.keys(parsed)])],
  };
  const { value } = objectOf(operation, next);
  const isSame = Object.entries(parsed).every(
    ([name, member]) => jsonText([value[name]]) === jsonText([member]),
  );
  return isSame ? next : undefined;
}

/** Returns the request, and what is missing or can't be read. The daemon checks all else. */
export function builtRequest(operation: Operation, draft: RequestDraft): BuildResult {
  const problems: Record<string, string> = {};
  const given = (field: RequestField): string => draft.values[fieldKey(field)] ?? '';
  for (const field of operation.fields) {
    if (given(field) === '' && field.isRequired) problems[fieldKey(field)] = 'Required';
    // A browser and every client would take the parent folder in its place.
    if (field.place === 'path' && /^\.\.?$/.test(given(field)))
      problems[fieldKey(field)] = 'Not sendable in a path';
  }
  const path = operation.fields
    .filter(({ place }) => place === 'path')
    .reduce(
      (sum, field) => sum.replace(`{${field.name}}`, () => encodeURIComponent(given(field))),
      operation.path,
    );
  const query = operation.fields
    .filter((field) => field.place === 'query' && given(field) !== '')
    .map((field) => `${encodeURIComponent(field.name)}=${encodeURIComponent(given(field))}`);
  const headers = operation.fields
    .filter((field) => field.place === 'header' && given(field) !== '')
    .map((field): [string, string] => [field.name, given(field)]);
  const body = bodyText(operation, draft, problems);
  return {
    problems,
    request: {
      method: operation.method,
      path: path + (query.length === 0 ? '' : `?${query.join('&')}`),
      credential: draft.as,
      headers: Object.fromEntries(
        body === undefined ? headers : [['content-type', 'application/json'], ...headers],
      ),
      body,
    },
  };
}

function bodyText(
  operation: Operation,
  draft: RequestDraft,
  problems: Record<string, string>,
): string | undefined {
  const { body } = operation;
  if (body === undefined || body.isFile) return undefined;
  if (draft.json !== undefined) {
    if (draft.json.trim() === '') {
      if (body.isRequired) problems[JSON_KEY] = 'Required';
      return undefined;
    }
    const problem = jsonProblem(draft.json);
    if (problem !== undefined) problems[JSON_KEY] = problem;
    return draft.json;
  }
  const { value, problems: found } = objectOf(operation, draft);
  Object.assign(problems, found);
  return Object.keys(value).length === 0 && !body.isRequired ? undefined : jsonText(value, 2);
}

function objectOf(
  operation: Operation,
  draft: RequestDraft,
): { value: Record<string, unknown>; problems: Record<string, string> } {
  const problems: Record<string, string> = {};
  const value = new Map<string, unknown>();
  for (const name of draft.members) {
    const field = memberField(operation, name);
    const key = fieldKey(field);
    const given = draft.values[key] ?? '';
    if (given === '') {
      if (field.isRequired) problems[key] = 'Required';
      continue;
    }
    const read = readValue(field, given);
    if (read.problem !== undefined) problems[key] = read.problem;
    else value.set(name, read.value);
  }
  return { value: Object.fromEntries(value), problems };
}

function readValue({ kind }: RequestField, given: string): { value?: unknown; problem?: string } {
  if (kind === 'text' || kind === 'choice') return { value: given };
  if (kind === 'boolean') return { value: given === 'true' };
  if (kind === 'number') {
    const number = Number(given);
    return given.trim() === '' || !Number.isFinite(number) ? { problem: 'Not a number' } : { value: number };
  }
  const problem = jsonProblem(given);
  if (problem === undefined) return { value: parsedJson(given) };
  // What begins like JSON was meant as such.
  return kind === 'any' && !/^\s*[[{"]/.test(given) ? { value: given } : { problem };
}

function valuesOf(operation: Operation, object: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      const field = memberField(operation, name);
      return [fieldKey(field), shownValue(field, value)];
    }),
  );
}

function shownValue({ kind }: RequestField, value: unknown): string {
  if (typeof value !== 'string') return jsonText(value);
  if (kind === 'text' || kind === 'choice') return value;
  // In quotes where it would be read as something else.
  return parsedJson(value) === undefined && kind === 'any' ? value : JSON.stringify(value);
}

function printed(value: unknown): string {
  return value === undefined ? '' : jsonText(value, 2);
}

/** Undefined for a text that is no JSON. */
export function parsedJson(given: string): unknown {
  return attempt(() => parseJson(given));
}

/** Returns what the parser finds wrong, without the text itself. */
function jsonProblem(given: string): string | undefined {
  try {
    JSON.parse(given);
    return undefined;
  } catch (error) {
    const [, at] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    return at === undefined ? 'Not JSON' : `Not JSON: line ${given.slice(0, Number(at)).split('\n').length}`;
  }
}
