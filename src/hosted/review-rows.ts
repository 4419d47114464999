/** The entries for review, with links to change them, and the consent. */
import { element } from '../form/elements.ts';
import { pageForm, quietButton } from './controls.ts';
import type { HostedPage } from './place.ts';
import { failureOf } from './refusal-words.ts';
import type { FlowState, HostedPlaceName } from './state.ts';
import { phrase, wordsOf } from './words.ts';

/** A side of a document that the daemon has. */
export interface SentPicture {
  readonly name: string;
  /** Undefined when it was sent before the page was loaded: no call returns a picture, so that a link shows none. */
  readonly file: File | undefined;
}

export interface ReviewRow {
  readonly name: string;
  readonly shown: string;
  /** The place to change it. */
  readonly place: HostedPlaceName | undefined;
  /** The value that `shown` masks, if it was given since the page was opened. */
  readonly full?: string | undefined;
  readonly pictures?: readonly SentPicture[];
}

/** `accounts`: the names of the chosen accounts, if known. */
export function bankRows(bank: FlowState['bank'], accounts?: readonly string[]): ReviewRow[] {
  if (!bank || bank.persona === null) return [];
  const chosen = accounts?.join(', ') ?? String(bank.accounts?.length ?? 0);
  return [
    { name: phrase('Bank'), shown: bank.institution ?? '', place: 'bank:institution' },
    { name: phrase('Persona'), shown: wordsOf(bank.persona), place: 'bank:persona' },
    { name: phrase('Accounts'), shown: chosen === '' ? phrase('None') : chosen, place: 'bank:accounts' },
  ];
}

/** The form can't be submitted until the box is ticked. */
export function consentForm(
  page: HostedPage,
  options: {
    readonly rows: readonly ReviewRow[];
    readonly words: string;
    readonly button: string;
    readonly submit: () => Promise<void>;
  },
): { readonly root: HTMLElement; readonly release: () => void } {
  const urls: string[] = [];
  const error = element('p', { id: 'agree-error', class: 'kyclone-error', role: 'alert' });
  const agree = element('input', { type: 'checkbox', autocomplete: 'off' });
  agree.setAttribute('aria-describedby', error.id);
  const refuse = (text: string) => {
    error.textContent = text;
    error.hidden = text === '';
    agree.setAttribute('aria-invalid', String(text !== ''));
  };
  agree.addEventListener('change', () => refuse(''));
  refuse('');
  const root = pageForm(page, {
    content: [
      ...(options.rows.length > 0 ? reviewList(page, options.rows, urls) : []),
      element('label', { class: 'choice' }, [agree, element('span', {}, [options.words])]),
      error,
    ],
    button: options.button,
    async submit() {
      if (agree.checked) {
        await options.submit();
        return;
      }
      refuse(failureOf('agree'));
      agree.focus();
    },
  });
  return { root, release: () => urls.forEach((url) => URL.revokeObjectURL(url)) };
}

function reviewList(page: HostedPage, rows: readonly ReviewRow[], urls: string[]): HTMLElement[] {
  const values = rows.map(({ shown }) => element('dd', { dir: 'auto' }, [shown]));
  let isFull = false;
  const toggle = quietButton(phrase('Show values'), () => {
    isFull = !isFull;
    toggle.textContent = phrase(isFull ? 'Hide values' : 'Show values');
    rows.forEach(({ full, shown }, index) => {
      if (full !== undefined) values[index]?.replaceChildren(isFull ? full : shown);
    });
  });
  const list = element(
    'dl',
    { class: 'hosted-review' },
    rows.map(({ name, place, pictures = [] }, index) => {
      if (pictures.length > 0) {
        values[index]?.append(element('div', { class: 'hosted-thumbs' }, pictures.map(thumbnail)));
      }
      return element('div', {}, [
        element('dt', {}, [name]),
        ...values.slice(index, index + 1),
        ...(place === undefined
          ? []
          : [
              element('dd', { class: 'edit' }, [
                quietButton(phrase('Change'), () => page.change(place), phrase('Change {0}', name)),
              ]),
            ]),
      ]);
    }),
  );
  return rows.some(({ full }) => full !== undefined) ? [toggle, list] : [list];

  function thumbnail({ name, file }: SentPicture): HTMLElement {
    const instead = element('span', {}, [name]);
    if (!file || file.type === 'application/pdf') return instead;
    const url = URL.createObjectURL(file);
    urls.push(url);
    const image = element('img', { src: url, alt: name });
    image.addEventListener('error', () => image.replaceWith(instead));
    return image;
  }
}
