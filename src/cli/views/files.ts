import { printable, type Style } from '../output.ts';

/** A file that was brought in. */
export interface SavedFile {
  readonly identifier: string | null;
  readonly content_type: string;
  readonly bytes: number;
  /** Null for stdout. */
  readonly path: string | null;
}

export function savedFileView({ content_type, bytes, path }: SavedFile, style: Style): string {
  if (path === null) return '';
  return `Saved ${printable(path)} ${style.dim(`(${bytes} bytes, ${printable(content_type)})`)}`;
}
