/** Judges a file by its content, whatever its name is, before it is sent (contract §14, step 4). */
import { UPLOAD_LIMIT_BYTES } from '../contract/facts/limits.ts';

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8, 0xff];
/** Brands of ISO base media files that hold HEVC pictures (ISO/IEC 23008-12). */
const HEIC = /^ftyp(?:hei[cmsx]|hev[cmsx]|mif1|msf1)$/;
const HEAD_BYTES = 1024;

/** The media type by the first bytes; undefined for a file that the page doesn't take. */
export function mediaTypeOf(head: Uint8Array): string | undefined {
  const startsWith = (mark: readonly number[]) => mark.every((byte, index) => head[index] === byte);
  if (startsWith(PNG)) return 'image/png';
  if (startsWith(JPEG)) return 'image/jpeg';
  const text = String.fromCharCode(...head);
  if (HEIC.test(text.slice(4, 12))) return 'image/heic';
  // Readers take a PDF whose mark is among the first bytes.
  return text.includes('%PDF-') ? 'application/pdf' : undefined;
}

/** The file with the type of its content, or the reason why it is refused. */
export async function judged(file: File): Promise<File | 'MIME' | 'EMPTY' | 'BIG'> {
  if (file.size === 0) return 'EMPTY';
  if (file.size > UPLOAD_LIMIT_BYTES) return 'BIG';
  const type = mediaTypeOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  return type === undefined ? 'MIME' : new File([file], file.name, { type });
}
