/** What a partner answered, as a JSON object whatever it was (contract §8.2). */
import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';

type JsonObject = Record<string, JsonValue>;

/** Deeper than any partner needs; writing the JSON again takes stack for each level. */
const NESTING_LIMIT = 64;

/** The object that the bytes are as JSON; `{raw: text}` when they are none. */
export function partnerAnswer(bytes: Buffer): JsonObject {
  const text = bytes.toString('utf8');
  const value = isUtf8(bytes) ? parsed(text) : undefined;
  return isJsonObject(value) && !isTooDeep(value) ? value : { raw: text };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Walks with a stack of its own: the depth comes from outside. */
function isTooDeep(value: JsonValue): boolean {
  const open = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > NESTING_LIMIT) return true;
    for (const member of Object.values(next.value)) open.push({ value: member, depth: next.depth + 1 });
  }
  return false;
}
