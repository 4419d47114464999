/** Bodies as the journal keeps them: member names, and of the values only their masks (contract §1.2, §11). */
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { describeIdentifier, maskValue } from '../../vault/identifiers/index.ts';

/** Members that hold what the service itself made or names, never vaulted data. */
const SHOWN = new Set([
  'id', 'fp_id', 'external_id', 'sandbox_id', 'status', 'requires_manual_review', 'code', 'message', 'context',
  'fields', 'delete_all', 'purge', 'version_at', 'data', 'meta', 'count', 'next', 'ok', 'checked', 'ready',
]); // prettier-ignore
const MAX_MEMBERS = 100;

export function maskedBody(body: unknown): JsonValue {
  if (body === undefined || body === null) return null;
  if (!isJsonObject(body)) return shape(body);
  return maskedMembers(body);
}

function maskedMembers(body: { [member: string]: unknown }): JsonValue {
  const masked: [string, JsonValue][] = [];
  for (const name in body) {
    if (masked.length === MAX_MEMBERS) {
      masked.push(['…', '<more members>']);
      break;
    }
    masked.push([name, maskedMember(name, body[name])]);
  }
  return Object.fromEntries(masked);
}

function maskedMember(name: string, value: unknown): JsonValue {
  if (value === null || value === undefined) return null;
  if (SHOWN.has(name)) return shown(value);
  // Presence and deletion answer with booleans, which tell nothing about the value.
  if (typeof value === 'boolean') return value;
  const colon = name.indexOf(':');
  const identifier = colon === -1 ? name : name.slice(0, colon);
  return describeIdentifier(identifier) ? maskValue(identifier, value as JsonValue) : shape(value);
}

function shown(value: unknown): JsonValue {
  if (Array.isArray(value)) {
    return value
      .slice(0, MAX_MEMBERS)
      .map((item) => (isJsonObject(item) ? maskedMembers(item) : (item as JsonValue)));
  }
  return value as JsonValue;
}

function shape(value: unknown): string {
  if (Array.isArray(value)) return `<list ${value.length}>`;
  if (isJsonObject(value)) return `<object ${Object.keys(value).length}>`;
  return `<${value === null ? 'null' : typeof value}>`;
}
