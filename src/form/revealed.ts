/** Renders a decrypted value: as text, as a picture, or as a download link for other files. */
import { element } from './elements.ts';
import { FILE_IDENTIFIER } from './inputs.ts';

/** How to display a decrypted value. */
type Shown =
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

export interface RevealedField {
  readonly element: HTMLElement;
  /** Releases the memory that the page holds for it. */
  release(): void;
}

export function reveal(
  document: Document,
  { identifier, label, value }: { identifier: string; label: string; value: unknown },
): RevealedField {
  const shown = shownAs(identifier, value);
  switch (shown.kind) {
    case 'nothing':
      return plain(element(document, 'em', {}, ['nothing stored']));
    case 'text':
      return plain(element(document, 'span', { class: 'kyclone-text' }, [shown.text]));
    case 'picture':
      return plain(element(document, 'img', { src: shown.url, alt: label }));
    case 'file': {
      const bytes = Uint8Array.from(atob(shown.base64), (character) => character.charCodeAt(0));
      return fileLink(document, new Blob([bytes]), identifier);
    }
  }
}

/** A link that saves the file under `name`. */
export function fileLink(
  document: Document,
  file: Blob,
  name: string,
): RevealedField & { element: HTMLAnchorElement } {
  const url = URL.createObjectURL(file);
  const link = element(document, 'a', { href: url, download: name }, [`Save ${name}`]);
  return { element: link, release: () => URL.revokeObjectURL(url) };
}

function plain(made: HTMLElement): RevealedField {
  return { element: made, release: () => undefined };
}
