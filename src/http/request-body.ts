/** Reads the body of a request: a streamed file, raw bytes, or JSON (contract §0.4, §0.8). */
import { JSON_BODY_LIMIT_BYTES } from '../contract/facts/limits.ts';
import type { TSchema } from '@sinclair/typebox';
import { isControlPlane, type Endpoint } from '../contract/endpoint.ts';
import { withoutAbsentMembers } from '../contract/absence.ts';
import { requireNoNul } from '../contract/nul.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { Held } from '../kernel/byte-budget.ts';
import { ServiceError } from '../kernel/errors.ts';
import { collectBody, requireNoEncoding } from './body.ts';
import { requireBounded, shownMember } from './bounded-body.ts';
import type { Call } from './call.ts';
import { isJsonType, parseJsonBody, type JsonBody } from './json-body.ts';
import type { ServerLimits } from './limits.ts';
import { readUpload } from './upload.ts';
import { requireValid } from './validation.ts';

type KeyedEndpoint = Endpoint & { readonly key: EndpointKey };

const DEFAULT_TYPE = 'application/octet-stream';

/** Throws `unsupported_media_type` for an encoded body, and for another content type where JSON is required. */
export function requireContentType(call: Call, endpoint: Endpoint): void {
  if (!mayHaveBody(call)) return;
  const { headers } = call;
  requireNoEncoding(headers['content-encoding']);
  const type = headers['content-type'];
  if (!endpoint.body || endpoint.takesFile || endpoint.takesAnyBody || type === undefined || isJsonType(type))
    return;
  const sent = /^[^;\s]*/.exec(type)?.[0].toLowerCase() ?? '';
  const instead = SHOWN_TYPES.has(sent) ? `, not ${sent}` : '';
  throw new ServiceError('unsupported_media_type', `The content type must be application/json${instead}`);
}

/** The default content types of common clients. Any other text of the header could be a value and is not shown. */
const SHOWN_TYPES: ReadonlySet<string> = new Set([
  'application/x-www-form-urlencoded',
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
): Promise<unknown> {
  const limitBytes = endpoint.bodyLimitBytes ?? JSON_BODY_LIMIT_BYTES;
  const { stallMs, bodyMs } = limits;
  if (endpoint.takesFile)
    return (call.upload = await readUpload(call.request, { limitBytes, stallMs, atEnd: atEndOfFile }));
  const collected = hasBody(call)
    ? collectBody(call.request, { limitBytes, stallMs, bodyMs, held: held() })
    : undefined;
  const bytes = collected instanceof Promise ? await collected : collected;
  if (!endpoint.body) return undefined;
  if (!endpoint.takesAnyBody) return readJson(call, endpoint, bytes);
  const body = bytes ?? Buffer.alloc(0);
  call.upload = { contentType: call.headers['content-type'] ?? DEFAULT_TYPE, bytesRead: body.length };
  return body;
}

/**
 * The body without members that count as absent, checked against its schema. Files and raw bytes pass unchanged.
 * `mayHoldNul`: whether its texts are checked for a NUL. `mayHoldNullMember`: whether any member may be absent.
 */
export function checkBody(
  endpoint: Endpoint,
  body: unknown,
  { mayHoldNul, mayHoldNullMember }: Pick<JsonBody, 'mayHoldNul' | 'mayHoldNullMember'>,
): unknown {
  if (endpoint.takesFile || endpoint.takesAnyBody) return body;
  if (!endpoint.body) return undefined;
  if (body === undefined) {
    if (endpoint.bodyOptional) return undefined;
    throw new ServiceError('invalid_request', 'A JSON body is required');
  }
  const present = mayHoldNullMember ? withoutAbsentMembers(endpoint.body, body) : body;
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
function readJson(call: Call, endpoint: KeyedEndpoint, bytes: Buffer | undefined): unknown {
  const body = parseJsonBody(bytes);
  if (body === undefined) return undefined;
  const { value, depth, repeated } = body;
  call.mayHoldNul = body.mayHoldNul;
  call.mayHoldNullMember = body.mayHoldNullMember;
  const member = repeated === undefined ? undefined : shownMember(repeated);
  if (isControlPlane(endpoint)) {
    requireBounded(value, depth);
    call.requestBody = value;
    if (member !== undefined) {
      throw new ServiceError('invalid_request', `Member ${member} stands more than once in one object`);
    }
  } else if (member !== undefined) call.repeatedMember = member;
  return (call.requestBody = value);
}
