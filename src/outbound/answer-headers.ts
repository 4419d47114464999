/** Which headers of an answer are handed on: none that spoke of this one connection or of how the body was packed. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TargetAnswer } from './outbound.ts';

/** RFC 9110 §7.6.1, and what doesn't hold of a body that was unpacked. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
]);

/**
 * Also without every header that `connection` lists. One that came in several lines is joined to one, as HTTP has it,
 * but for cookies; of a content type the first counts.
 */
export function handedOn({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): TargetAnswer['headers'] {
  const listed = new Set(commaList(headersDistinct['connection']?.join(',')));
  return Object.fromEntries(
    Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      LEFT_OUT.has(name) || listed.has(name) ? [] : [[name, joined(name, values)]],
    ),
  );
}

function joined(name: string, values: readonly string[]): string | readonly string[] {
  if (name === 'set-cookie') return values;
  return name === 'content-type' ? (values[0] ?? '') : values.join(', ');
}

/** What was done to the body, in the order it was done; without `identity`. */
export function contentCodings(headers: IncomingHttpHeaders): readonly string[] {
  return commaList(headers['content-encoding']).filter((coding) => coding !== 'identity');
}

/** Lower case; without empty elements. */
function commaList(value: string | undefined): readonly string[] {
  return (value ?? '')
    .split(',')
    .map((element) => element.trim().toLowerCase())
    .filter((element) => element !== '');
}
