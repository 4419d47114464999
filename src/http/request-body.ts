/** Reads the body of a request: a streamed file, raw bytes, or JSON (contract §0.4, §0.8). */
import { attempt } from '../kernel/attempt.ts';
import type { TSchema } from '@sinclair/typebox';
import type { IncomingMessage } from 'node:http';
import { withoutAbsentMembers } from '../contract/absence.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { isControlPlane } from './router.ts';
import { JSON_BODY_LIMIT_BYTES } from '../contract/facts/limits.ts';
import { requireNoNul } from '../contract/nul.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { Held } from '../kernel/numbers/byte-budget.ts';
import { ServiceError, invalid } from '../kernel/errors.ts';
import { type JsonShape, jsonTextOf, shapeOfJson, withExactCustomValues } from '../kernel/text/json.ts';
import { withoutCredentials } from '../kernel/ids/ids.ts';
import { isWellFormedText } from '../kernel/text/text.ts';
import { requireNoEncoding } from './errors.ts';
import type { Call } from './call.ts';
import type { ServerLimits } from './limits.ts';
import { bodyBytes, overLimit, readUpload } from './upload.ts';
import { requireValid } from '../contract/validity.ts';

// Parses a request body as JSON, strictly (contract §0.8). Errors never quote the body.

/** `application/json` or any `+json`, with or without parameters. */
const JSON_TYPE = /^(?:application\/json|[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}\+json)\s*(?:;|$)/i;
/** Text that may contain an unpaired surrogate: valid UTF-8 can't, so it takes an escape. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType.trim());
}

/** The only form in which JSON can contain a NUL; after a backslash it is no escape. */
const NUL_ESCAPE = '\\u0000';

export interface ReadBody {
  /** Undefined when there is none, or the endpoint takes none. */
  readonly value: unknown;
  /** Whether a text of it may contain a NUL; false is certain. */
  readonly mayHoldNul: boolean;
  /** Whether a member of it may be null; false is certain. */
  readonly mayHoldNullMember: boolean;
}

/** Neither a file nor raw bytes are checked like JSON. */
const notJson = (value?: unknown): ReadBody => ({ value, mayHoldNul: false, mayHoldNullMember: false });

/** The parsed body. Throws `invalid_json`. */
function parseJsonBody(bytes: Buffer): ReadBody & JsonShape {
  const text = jsonTextOf(bytes);
  if (text === undefined) throw new ServiceError('invalid_json', 'The body is not valid UTF-8');
  const value = attempt(() => withExactCustomValues(JSON.parse(text), text));
  if (value === undefined) throw new ServiceError('invalid_json', 'The body is not valid JSON');
  const hasEscapes = text.includes('\\u');
  if (hasEscapes && SURROGATE_ESCAPE.test(text) && !isWellFormed(value)) {
    throw new ServiceError('invalid_json', 'The body holds an unpaired surrogate');
  }
  return {
    value,
    mayHoldNul: hasEscapes && text.includes(NUL_ESCAPE),
    mayHoldNullMember: text.includes('null'),
    ...shapeOfJson(text),
  };
}

/** Iterative, since a body may be nested as deeply as it is long. */
function isWellFormed(body: unknown): boolean {
  const waiting: unknown[] = [body];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') {
      if (!isWellFormedText(value)) return false;
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        if (!isWellFormedText(name)) return false;
        waiting.push(member);
      }
    }
  }
  return true;
}

// Limits for every JSON body of the control plane, checked before its schema, so that handlers only see members of
// bounded size. Messages name members of the body and never quote values.

/** Levels of nested lists and objects, the same as for a custom value (contract §0.8). */
const NESTING_LIMIT = 64;
/** The longest single text: the most that a vault takes in one write. */
const TEXT_LIMIT_CHARACTERS = 32 * 1024;
const MEMBERS_LIMIT = 1_000;
const NAME_LIMIT_CHARACTERS = 256;

/** Throws `invalid_request`. A body deeper than `NESTING_LIMIT` must come with its `depth`. */
function requireBounded(body: unknown, depth: number): void {
  if (depth > NESTING_LIMIT) throw invalid(`The body is nested more than ${NESTING_LIMIT} levels deep`);
  const waiting: { readonly value: unknown; readonly name: string }[] = [{ value: body, name: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, name } = next;
    const where = name === '' ? 'The body' : `Member ${shownMember(name)}`;
    if (typeof value === 'string') {
      if (value.length > TEXT_LIMIT_CHARACTERS) {
        throw invalid(`${where} holds a text of more than ${TEXT_LIMIT_CHARACTERS} characters`);
      }
    } else if (Array.isArray(value)) {
      for (const item of value) waiting.push({ value: item, name });
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value);
      if (members.length > MEMBERS_LIMIT) throw invalid(`${where} has more than ${MEMBERS_LIMIT} members`);
      for (const [member, held] of members) {
        if (member.length > NAME_LIMIT_CHARACTERS) {
          throw invalid(`${where} has a member whose name is over ${NAME_LIMIT_CHARACTERS} characters`);
        }
        waiting.push({ value: held, name: name === '' ? member : `${name}.${member}` });
      }
    }
  }
}

const SHOWN_CHARACTERS = 100;
const PLAIN_NAME = /^[A-Za-z0-9_.:-]+$/;

/**
 * The name of a member as errors and hints show it. A name of an unusual form could be a misplaced value and is not
 * shown.
 */
function shownMember(name: string): string {
  if (!PLAIN_NAME.test(name)) return '***';
  const cut = name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
  return withoutCredentials(cut);
}

type KeyedEndpoint = Endpoint & { readonly key: EndpointKey };

const DEFAULT_TYPE = 'application/octet-stream';

/**
 * Throws `unsupported_media_type` for an encoded body, and for another content type where JSON is required. That of
 * curl, and none, pass until the body is read (contract §0.8).
 */
export function requireContentType(call: Call, endpoint: Endpoint): void {
  if (!mayHaveBody(call)) return;
  const { headers } = call;
  requireNoEncoding(headers['content-encoding']);
  const type = headers['content-type'];
  if (!endpoint.body || endpoint.takesFile || endpoint.takesAnyBody || isJsonType(type ?? '')) return;
  // Samples post JSON as curl does, without saying so. A page could do that without being asked about.
  const isUndeclared = type === undefined || typeName(type) === FORM_TYPE;
  if (!isUndeclared || headers.origin !== undefined) throw unsupportedType(type);
}

/** Whether the first character after blanks begins an object or a list; true for a body of blanks. */
function looksLikeJson(bytes: Buffer): boolean {
  const start = bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
  const first = bytes.subarray(start).find((byte) => !BLANKS.has(byte));
  return first === undefined || first === OPENS_OBJECT || first === OPENS_LIST;
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff', 'utf8');
const BLANKS: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'));
const [OPENS_OBJECT, OPENS_LIST] = Buffer.from('{[');
const FORM_TYPE = 'application/x-www-form-urlencoded';

function typeName(type: string): string {
  return /^[^;\s]*/.exec(type.trim())?.[0].toLowerCase() ?? '';
}

function unsupportedType(type: string | undefined): ServiceError {
  const sent = typeName(type ?? '');
  const instead = SHOWN_TYPES.has(sent) ? `, not ${sent}` : '';
  return new ServiceError('unsupported_media_type', `Header content-type must be application/json${instead}`);
}

/** The default content types of common clients. Any other text of the header could be a value and is not shown. */
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  FORM_TYPE,
  'multipart/form-data',
  'text/plain',
  'application/octet-stream',
]);

/**
 * Reads the body in the form that the endpoint takes, and notes it in the call for the journal. A body that the
 * endpoint doesn't take is read within its limit and ignored.
 */
export async function readBody(
  call: Call,
  endpoint: KeyedEndpoint,
  { limits, held, atEndOfFile }: { limits: ServerLimits; held: () => Held; atEndOfFile: () => void },
): Promise<ReadBody> {
  const limitBytes = endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES;
  const { stallMs, bodyMs } = limits;
  if (endpoint.takesFile)
    return notJson(
      (call.upload = await readUpload(call.request, { limitBytes, stallMs, atEnd: atEndOfFile })),
    );
  const collected = hasBody(call)
    ? collectBody(call.request, { limitBytes, stallMs, bodyMs, held: held() })
    : undefined;
  const bytes = collected instanceof Promise ? await collected : collected;
  if (!endpoint.body) return notJson();
  if (!endpoint.takesAnyBody) return readJson(call, endpoint, bytes);
  const body = bytes ?? Buffer.alloc(0);
  call.upload = { contentType: call.headers['content-type'] ?? DEFAULT_TYPE, bytesRead: body.length };
  return notJson(body);
}

/** The body without members that count as absent, checked against its schema. Files and raw bytes pass unchanged. */
export function checkBody(endpoint: Endpoint, { value, mayHoldNul, mayHoldNullMember }: ReadBody): unknown {
  if (!endpoint.body || endpoint.takesFile || endpoint.takesAnyBody) return value;
  if (value === undefined) {
    if (endpoint.bodyOptional) return undefined;
    throw invalid('A JSON body is required');
  }
  const present = mayHoldNullMember ? withoutAbsentMembers(endpoint.body, value) : value;
  requireValid(endpoint.body, present, 'Member');
  if (mayHoldNul) requireNoNul(endpoint.body, present);
  return withoutUnknownMembers(endpoint.body, present);
}

/**
 * Unknown members are ignored (contract §0.8), so no service sees one: a request that is stored as a whole could
 * otherwise hold members that only the service may add. A map of identifiers is unchanged.
 */
function withoutUnknownMembers({ type, properties, patternProperties }: TSchema, body: unknown): unknown {
  if (type !== 'object' || properties === undefined || patternProperties !== undefined) return body;
  const given = Object.entries(body as object);
  const known = given.filter(([name]) => Object.hasOwn(properties as object, name));
  return known.length === given.length ? body : Object.fromEntries(known);
}

function hasBody(call: Call): boolean {
  return mayHaveBody(call) || (!ignoresBody(call) && call.headers['content-type'] !== undefined);
}

/** Whether the headers announce a body that is read. */
function mayHaveBody(call: Call): boolean {
  const { headers } = call;
  const length = headers['content-length'];
  const isAnnounced = headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
  return isAnnounced && !ignoresBody(call);
}

function ignoresBody({ method }: Call): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * The value of a JSON body. In the control plane it is bounded and may not repeat a member. Elsewhere the last of
 * several members with one name counts (contract §0.8), and the journal says so.
 */
function readJson(call: Call, endpoint: KeyedEndpoint, bytes: Buffer | undefined): ReadBody {
  const type = call.headers['content-type'];
  if (bytes && !isJsonType(type ?? '') && !looksLikeJson(bytes)) throw unsupportedType(type);
  if (bytes === undefined || bytes.length === 0) return notJson();
  const body = parseJsonBody(bytes);
  const { value, depth, repeated } = body;
  const member = repeated === undefined ? undefined : shownMember(repeated);
  if (isControlPlane(endpoint)) requireBounded(value, depth);
  call.requestBody = value;
  if (isControlPlane(endpoint)) {
    if (member !== undefined) throw invalid(`Member ${member} stands more than once in one object`);
  } else call.repeatedMember = member;
  return body;
}

export interface BodyLimits {
  readonly limitBytes: number;
  /** Milliseconds allowed without a byte. */
  readonly stallMs: number;
  /** Milliseconds allowed in total. */
  readonly bodyMs: number;
  readonly held: Held;
}

/**
 * Reads the whole body within the limits. Throws `payload_too_large` as soon as it is known to be too long,
 * `request_timeout` when it takes too long, and `overloaded` when the memory budget is used up. Discards the rest of a
 * refused body, so that the client can read the response. Most bodies arrive together with their heads; then the result
 * is returned without waiting.
 */
function collectBody(request: IncomingMessage, limits: BodyLimits): Buffer | Promise<Buffer> {
  const { readableLength: bytes } = request;
  const isWhole = bytes > 0 && Number(request.headers['content-length']) === bytes;
  if (!isWhole || bytes > limits.limitBytes) return waitForBody(request, limits);
  limits.held.take(bytes);
  const body = request.read() as Buffer;
  // The `end` event is still to come.
  request.resume();
  return body;
}

async function waitForBody(
  request: IncomingMessage,
  { limitBytes, stallMs, bodyMs, held }: BodyLimits,
): Promise<Buffer> {
  try {
    if (Number(request.headers['content-length']) > limitBytes) throw overLimit(limitBytes);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of bodyBytes(request, { what: 'body', stallMs, bodyMs })) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw overLimit(limitBytes);
      held.take(chunk.length);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    request.resume();
  }
}
