/** Decides how to display a decrypted value. */
import { FILE_IDENTIFIER } from './inputs.ts';

export type Shown =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture'; readonly url: string }
  | { readonly kind: 'file'; readonly base64: string };

/** The first base64 characters of each picture format. SVG is left out because it is an active document. */
const PICTURES: readonly (readonly [start: string, contentType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** Text that looks like a picture stays text: only file identifiers always hold files. */
export function shownAs(identifier: string, value: unknown): Shown {
  if (value === null || value === undefined) return { kind: 'nothing' };
  if (typeof value !== 'string') return { kind: 'text', text: JSON.stringify(value) };
  if (!FILE_IDENTIFIER.test(identifier)) return { kind: 'text', text: value };
  const picture = PICTURES.find(([start]) => value.startsWith(start));
  if (picture) return { kind: 'picture', url: `data:${picture[1]};base64,${value}` };
  return { kind: 'file', base64: value };
}
