/** Parses a request body as JSON, strictly (contract §0.8). Errors never quote the body. */
import { ServiceError } from '../kernel/errors.ts';
import { jsonTextOf } from '../kernel/json.ts';
import { shapeOfJson, type JsonShape } from '../kernel/json-scan.ts';
import { isWellFormedText } from '../kernel/well-formed.ts';

/** `application/json` or any `+json`, with or without parameters. */
const JSON_TYPE = /^(?:application\/json|[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}\+json)\s*(?:;|$)/i;
/** Text that may contain an unpaired surrogate: valid UTF-8 can't, so it takes an escape. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType.trim());
}

/** The only form in which JSON can contain a NUL; after a backslash it is no escape. */
const NUL_ESCAPE = '\\u0000';

export interface JsonBody extends JsonShape {
  readonly value: unknown;
  /** Whether a text of it may contain a NUL; false is certain. */
  readonly mayHoldNul: boolean;
  /** Whether a member of it may be null; false is certain. */
  readonly mayHoldNullMember: boolean;
}

/** The parsed body; undefined when it is empty. Throws `invalid_json`. */
export function parseJsonBody(bytes: Buffer | undefined): JsonBody | undefined {
  if (bytes === undefined || bytes.length === 0) return undefined;
  const text = jsonTextOf(bytes);
  if (text === undefined) throw new ServiceError('invalid_json', 'The body is not valid UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json', 'The body is not valid JSON');
  }
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
