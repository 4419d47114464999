/**
 * Stands for tui/data/private-file.ts and client/whole-file.ts in the bundle of a page: a file is saved where the
 * browser saves downloads. The browser asks, or names the file anew when there is one of this name.
 */
import { bareType } from '../../tui/data/images.ts';
import { wholeFile, type VaultFile } from '../../tui/data/vault-files.ts';
import { MIB } from '../../kernel/numbers/units.ts';

/** A larger file is for `kyclone vault download`, which never holds a whole one. */
const LIMIT_BYTES = 64 * MIB;
/** The browser has read the blob by then. */
const REVOKE_MS = 10_000;

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/heic': 'heic',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
};

export class FileRefusedError extends Error {
  override readonly name = 'FileRefusedError';
}

/** A page chooses a name only. */
export function absolutePath(text: string): string {
  return text.replace(/^.*[/\\]/, '');
}

export function isOwnName(path: string, own: string): boolean {
  return absolutePath(path) === own;
}

/** What happens to an existing file, and who can read the new one. */
export function savedWhere(path: string): readonly string[] {
  return [
    `It is saved in the clear as ${path} among the downloads of this browser, where other programs can read it.`,
  ];
}

export async function savePrivately(
  text: string,
  own: string,
  open: () => Promise<VaultFile | undefined>,
): Promise<{ path: string; bytes: number; contentType: string } | undefined> {
  const file = await open();
  if (file === undefined) return undefined;
  const bytes = await wholeFile(file, LIMIT_BYTES);
  if (bytes === undefined)
    throw new FileRefusedError('The file is too large for a page: kyclone vault download saves it');
  const type = bareType(file.contentType);
  const path = isOwnName(text, own) ? `${own}.${EXTENSIONS[type] ?? 'bin'}` : absolutePath(text);
  const address = URL.createObjectURL(new Blob([bytes as BlobPart], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = path;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), REVOKE_MS);
  return { path, bytes: bytes.length, contentType: type };
}
