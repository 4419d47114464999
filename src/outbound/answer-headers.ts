/** Selects the headers of a response that are passed on: all but those about this connection or the body's coding. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TargetAnswer } from './outbound.ts';

/** Hop-by-hop headers (RFC 9110 §7.6.1), and those that are wrong for a decoded body. */
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
 * Also drops every header that `connection` lists. Repeated headers are joined into one as in HTTP, except cookies. The
 * first of several content types counts.
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

/** The codings of the body in the order in which they were applied; without `identity`. */
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
