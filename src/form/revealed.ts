/** Renders a decrypted value: as text, as a picture, or as a download link for other files. */
import { element } from './elements.ts';
import { shownAs } from './inputs.ts';

export interface RevealedField {
  readonly element: HTMLElement;
  /** Releases the memory that the page holds for it. */
  release(): void;
}

export function reveal({
  identifier,
  label,
  value,
}: {
  identifier: string;
  label: string;
  value: unknown;
}): RevealedField {
  const shown = shownAs(identifier, value);
  switch (shown.kind) {
    case 'nothing':
      return plain(element('em', {}, ['nothing stored']));
    case 'text':
      return plain(element('span', { class: 'kyclone-text' }, [shown.text]));
    case 'picture':
      return plain(element('img', { src: shown.url, alt: label }));
    case 'file': {
      const bytes = Uint8Array.from(atob(shown.base64), (character) => character.charCodeAt(0));
      return fileLink(new Blob([bytes]), identifier);
    }
  }
}

/** A link that saves the file under `name`. */
export function fileLink(file: Blob, name: string): RevealedField & { element: HTMLAnchorElement } {
  const url = URL.createObjectURL(file);
  const link = element('a', { href: url, download: name }, [`Save ${name}`]);
  return { element: link, release: () => URL.revokeObjectURL(url) };
}

function plain(made: HTMLElement): RevealedField {
  return { element: made, release: () => undefined };
}
