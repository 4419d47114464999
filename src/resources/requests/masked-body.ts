/** Bodies in the journal: member names, and values as masks only (contract §1.2, §11). */
import { withoutCredentials } from '../../kernel/ids.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { describeIdentifier, maskValue } from '../../vault/identifiers/index.ts';

/** Response members with values that the service itself created or named. */
const SHOWN = new Set([
  'id', 'fp_id', 'external_id', 'sandbox_id', 'status', 'requires_manual_review', 'code', 'message', 'context',
  'data', 'meta', 'count', 'next', 'ok', 'checked', 'ready',
]); // prettier-ignore
const MAX_MEMBERS = 100;

/** A request body. No member is shown because of its name alone, since a caller may put a value under any name. */
export function maskedRequest(body: unknown): JsonValue {
  return maskedMembers(body, (name, value) => {
    if (describeIdentifier(name)) return maskValue(name, value);
    if (name === 'fields' && Array.isArray(value)) return value.slice(0, MAX_MEMBERS).map(maskedReference);
    return typeof value === 'boolean' ? value : shape(value);
  });
}

/**
 * A response body. `holdsValues`: identifiers map to their values, not to flags, and any object may be foreign, since a
 * partner's response has a configurable name.
 */
export function maskedAnswer(body: unknown, { holdsValues }: { holdsValues: boolean }): JsonValue {
  return maskedMembers(body, (name, value) => {
    if (holdsValues && isJsonObject(value)) return shape(value);
    if (SHOWN.has(name)) return shown(value, holdsValues);
    const identifier = identifierOf(name);
    if (describeIdentifier(identifier) && (holdsValues || typeof value !== 'boolean')) {
      return maskValue(identifier, value);
    }
    return typeof value === 'boolean' ? value : shape(value);
  });
}

function maskedMembers(body: unknown, mask: (name: string, value: JsonValue) => JsonValue): JsonValue {
  if (body === undefined || body === null) return null;
  if (!isJsonObject(body)) return shape(body);
  const masked = new Members();
  let members = 0;
  for (const name in body) {
    if (members++ === MAX_MEMBERS) {
      masked['…'] = '<more members>';
      break;
    }
    const value = body[name];
    masked[withoutCredentials(name)] = value === undefined || value === null ? null : mask(name, value);
  }
  return masked;
}

/**
 * An object that inherits nothing, so that a member named __proto__ is an ordinary one. `Object.create(null)` is a hash
 * table, which is larger, and the journal keeps thousands.
 */
const Members = function () {
  // Members are added by their names.
} as unknown as new () => Record<string, JsonValue>;
Members.prototype = Object.create(null) as object;

function identifierOf(reference: string): string {
  const colon = reference.indexOf(':');
  return colon === -1 ? reference : reference.slice(0, colon);
}

/** The name of an identifier; any other text could be a misplaced value. */
function maskedReference(reference: JsonValue): JsonValue {
  const isKnown = typeof reference === 'string' && describeIdentifier(identifierOf(reference));
  return isKnown ? reference : shape(reference);
}

function shown(value: JsonValue, holdsValues: boolean): JsonValue {
  if (!Array.isArray(value)) return value;
  return value
    .slice(0, MAX_MEMBERS)
    .map((item) => (isJsonObject(item) ? maskedAnswer(item, { holdsValues }) : item));
}

function shape(value: unknown): string {
  if (Array.isArray(value)) return `<list ${value.length}>`;
  if (isJsonObject(value)) return `<object ${Object.keys(value).length}>`;
  return `<${value === null ? 'null' : typeof value}>`;
}
