/** JSON objects in which some texts are produced while they are sent. */
import { jsonText } from '../kernel/exact-number.ts';
import { StreamedText } from '../kernel/streamed-text.ts';

export function holdsStreams(body: unknown): body is object {
  if (typeof body !== 'object' || body === null) return false;
  for (const name in body)
    if ((body as Readonly<Record<string, unknown>>)[name] instanceof StreamedText) return true;
  return false;
}

/** For the journal, which shows only that a text is present. */
export function withEmptyTexts(body: object): object {
  const entries = Object.entries(body).map(([name, value]: [string, unknown]) => [
    name,
    value instanceof StreamedText ? '' : value,
  ]);
  return Object.fromEntries(entries) as object;
}

export async function withoutStreams(body: object): Promise<object> {
  const whole: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    whole[name] = value instanceof StreamedText ? await value.whole() : value;
  }
  return whole;
}

/** Bytes. */
export function lengthOfJson(body: object): number {
  let length = 0;
  for (const part of partsOf(body))
    length += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  return length;
}

export async function* piecesOfJson(body: object): AsyncGenerator<Buffer> {
  for (const part of partsOf(body)) {
    if (typeof part === 'string') yield Buffer.from(part);
    else yield* part.pieces();
  }
}

function* partsOf(body: object): Generator<string | StreamedText> {
  let before = '{';
  for (const [name, value] of Object.entries(body)) {
    const start = `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (value instanceof StreamedText) {
      yield `${start}"`;
      yield value;
      yield '"';
    } else yield start + jsonText(value);
  }
  yield '}';
}
