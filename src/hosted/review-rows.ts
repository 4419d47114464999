/** The entries for review, with links to change them, and the consent. */
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { pageForm, quietButton, type PageForm } from './controls.ts';
import type { HostedPage } from './place.ts';
import type { FlowState, HostedPlaceName } from './state.ts';
import { wordsOf } from './words.ts';

export interface ReviewRow {
  readonly name: string;
  readonly shown: string;
  /** The place to change it. */
  readonly place: HostedPlaceName | undefined;
}

/** `accounts`: the names of the chosen accounts, if known. */
export function bankRows(bank: FlowState['bank'], accounts?: readonly string[]): ReviewRow[] {
  if (!bank || bank.persona === null) return [];
  const chosen = accounts?.join(', ') ?? String(bank.accounts?.length ?? 0);
  return [
    { name: 'Bank', shown: bank.institution ?? '', place: 'bank:institution' },
    { name: 'Persona', shown: wordsOf(bank.persona), place: 'bank:persona' },
    { name: 'Accounts', shown: chosen === '' ? 'None' : chosen, place: 'bank:accounts' },
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
): PageForm {
  const { document } = page;
  const agree = element(document, 'input', { type: 'checkbox', autocomplete: 'off' });
  return pageForm(document, {
    content: [
      ...(options.rows.length > 0 ? [reviewList(page, options.rows)] : []),
      element(document, 'label', { class: 'choice' }, [
        agree,
        element(document, 'span', {}, [options.words]),
      ]),
    ],
    fields: () => [],
    button: options.button,
    failed: page.failed,
    async submit() {
      if (!agree.checked) {
        agree.focus();
        throw new VaultError('missing', 'To go on, say that you agree');
      }
      await options.submit();
    },
  });
}

function reviewList(page: HostedPage, rows: readonly ReviewRow[]): HTMLElement {
  const { document } = page;
  return element(
    document,
    'dl',
    { class: 'hosted-review' },
    rows.map(({ name, shown, place }) =>
      element(document, 'div', {}, [
        element(document, 'dt', {}, [name]),
        element(document, 'dd', { dir: 'auto' }, [shown]),
        ...(place === undefined
          ? []
          : [
              element(document, 'dd', { class: 'edit' }, [
                quietButton(document, 'Change', () => page.change(place), `Change ${name}`),
              ]),
            ]),
      ]),
    ),
  );
}
