/** Converts a partner's response to a JSON object, whatever its form (contract §8.2). */
import { isJsonObject, jsonTextOf, type JsonValue } from '../../kernel/json.ts';

type JsonObject = Record<string, JsonValue>;

/** Deeper than any partner needs; serialising JSON takes stack for each level. */
const NESTING_LIMIT = 64;

/** The JSON object in the bytes; `{raw: text}` when they are not one. */
export function partnerAnswer(bytes: Buffer): JsonObject {
  const value = parsed(jsonTextOf(bytes) ?? '');
  return isJsonObject(value) && !isTooDeep(value) ? value : { raw: bytes.toString('utf8') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Iterative, since the depth comes from outside. */
function isTooDeep(value: JsonValue): boolean {
  const open = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > NESTING_LIMIT) return true;
    for (const member of Object.values(next.value)) open.push({ value: member, depth: next.depth + 1 });
  }
  return false;
}
