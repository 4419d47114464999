/** The content type of a body, and how values are inserted into it (contract §3.3, content type and escaping). */
import { isJson, jsonTextOf } from '../../kernel/json.ts';

/**
 * The content type to send: the forwarded one if given; else `application/json` when the template itself is valid JSON,
 * otherwise `text/plain; charset=utf-8`, and none for an empty body.
 */
export function contentTypeOf(body: Buffer, forwarded: string | undefined): string | undefined {
  if (forwarded !== undefined) return forwarded;
  if (body.length === 0) return undefined;
  const text = jsonTextOf(body);
  return text !== undefined && isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
}

/** How values are inserted: escaped for JSON, encoded for a form, or unchanged. */
export type Escaping = 'json' | 'form' | 'none';

/** The escaping for a content type, ignoring its parameters and case. */
export function escapingOf(contentType: string | undefined): Escaping {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (mediaType === 'application/json' || mediaType.endsWith('+json')) return 'json';
  if (mediaType === 'application/x-www-form-urlencoded') return 'form';
  return 'none';
}
