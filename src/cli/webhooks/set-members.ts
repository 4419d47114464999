/** `--set`: members of an event's body, `name.inner=text` or `name.inner:=json` (contract §11, events/trigger). */
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { UsageError } from '../shell/failure.ts';

const REFUSED = new Set(['__proto__', 'constructor', 'prototype']);
const MOST_LEVELS = 16;
type Members = Record<string, JsonValue>;

/** The object that the arguments make together. Throws UsageError, which repeats no value. */
export function setMembers(texts: readonly string[]): Members {
  const body: Members = {};
  texts.forEach((text, index) => {
    const { path, value } = parseSetting(text, index + 1);
    place(body, path, value);
  });
  return body;
}

function parseSetting(text: string, position: number): { path: string[]; value: JsonValue } {
  const equals = text.indexOf('=');
  const isJson = equals > 0 && text[equals - 1] === ':';
  const name = text.slice(0, isJson ? equals - 1 : Math.max(equals, 0));
  const path = name.split('.');
  if (path.some((segment) => segment === '') || path.length > MOST_LEVELS) {
    throw new UsageError(
      `--set number ${position} is not of the form path=value (not shown: it may hold a value)`,
      'path=text, or path:=JSON; dots lead into objects',
    );
  }
  if (path.some((segment) => REFUSED.has(segment))) {
    throw new UsageError(`--set number ${position} names a member that no object of an event has`);
  }
  const written = text.slice(equals + 1);
  return { path, value: isJson ? parseJson(written, position) : written };
}

/** JSON.parse quotes the text in its messages; this doesn't. */
function parseJson(text: string, position: number): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new UsageError(`--set number ${position} has no JSON after :=`);
  }
}

function place(body: Members, path: readonly string[], value: JsonValue): void {
  let place = body;
  for (const segment of path.slice(0, -1)) {
    const inner = Object.hasOwn(place, segment) ? place[segment] : (place[segment] = {});
    if (!isJsonObject(inner)) throw twice();
    place = inner;
  }
  const last = path.at(-1) ?? '';
  if (Object.hasOwn(place, last)) throw twice();
  place[last] = value;
}

function twice(): UsageError {
  return new UsageError('--set gives one member two values');
}
