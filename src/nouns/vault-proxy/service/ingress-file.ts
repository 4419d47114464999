/** Files in a response, as base64 text with a content type (contract §1.6, §3.3). */
import { UPLOAD_LIMIT_BYTES } from '../../../contract/facts/limits.ts';
import { describeIdentifier, REFUSED, type Refusal } from '../../../vault/identifiers/index.ts';

export interface IngressFile {
  /** The canonical name. */
  readonly identifier: string;
  readonly contentType: string;
  readonly content: Buffer;
}

const TYPE_LIMIT_CHARACTERS = 255;
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/**
 * Decodes a file from base64 text: strict, padded, 1 byte to 10 MiB, as in an upload. `declaredType` is the content
 * type in the response, without parameters; without it the first bytes determine the type.
 */
export function ingressFile(
  identifier: string,
  text: string,
  declaredType: string | undefined,
): IngressFile | Refusal {
  const content = Buffer.from(text, 'base64');
  // Node ignores invalid base64; only the canonical text is equal after a round trip.
  if (content.length === 0 || content.toString('base64') !== text) return REFUSED.B64;
  if (content.length > UPLOAD_LIMIT_BYTES) return REFUSED.LEN;
  const description = describeIdentifier(identifier);
  const contentType = declaredType?.trim() ?? recognisedType(content);
  const isMediaType = contentType.length <= TYPE_LIMIT_CHARACTERS && MEDIA_TYPE.test(contentType);
  if (!isMediaType || !description?.acceptsContentType(contentType)) return REFUSED.MIME;
  return { identifier: description.canonical, contentType, content };
}

const WEBP_AT = 8;

/** The type by the magic bytes of each format. */
function recognisedType(content: Buffer): string {
  const begins = (bytes: string, at = 0) => content.subarray(at, at + bytes.length).equals(latin1(bytes));
  if (begins('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (begins('\xff\xd8\xff')) return 'image/jpeg';
  if (begins('GIF87a') || begins('GIF89a')) return 'image/gif';
  if (begins('RIFF') && begins('WEBP', WEBP_AT)) return 'image/webp';
  if (begins('%PDF-')) return 'application/pdf';
  return 'application/octet-stream';
}

function latin1(bytes: string): Buffer {
  return Buffer.from(bytes, 'latin1');
}
