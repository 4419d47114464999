/** The document: its kind and country, then a picture of each side with a preview before it is sent. */
import { UPLOAD_LIMIT_BYTES } from '../contract/facts/limits.ts';
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { countries } from './choices.ts';
import { pageField, pageForm } from './controls.ts';
import { radioChoices } from './options.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import { wordsOf } from './words.ts';

export function documentPlace(page: HostedPage): ShownPlace {
  const { document, state } = page;
  const { kinds = [], kind, country } = state.document ?? {};
  const chosen = radioChoices(
    document,
    'Kind of document',
    kinds.map((each) => [each, wordsOf(each)] as const),
    kind ?? kinds[0] ?? '',
  );
  const issuer = pageField(document, {
    identifier: 'country',
    label: 'Country that issued it',
    choices: countries(),
    ...(country && { value: country.toUpperCase() }),
  });
  const form = pageForm(document, {
    content: [chosen.root, issuer.root],
    fields: () => [issuer],
    button: 'Continue',
    failed: page.failed,
    async submit() {
      const entry = issuer.entry();
      if (entry?.kind !== 'value') throw refused('country', 'is required');
      const body = { kind: chosen.value(), country: entry.value };
      await page.send('document', body, (next) => `document:${next.document?.sides[0] ?? ''}`);
    },
  });
  return {
    title: 'Your document',
    lead: 'A document that is valid, and the original: no copy.',
    content: [form.root],
  };
}

const SIDES: ReadonlyMap<string, readonly [title: string, lead: string]> = new Map([
  ['front', ['The front of your document', 'All four corners visible, no glare.']],
  ['back', ['The back of your document', 'All four corners visible, no glare.']],
  ['selfie', ['A picture of you', 'Your face alone, well lit, no hat.']],
]);

export function picturePlace(page: HostedPage, side: string): ShownPlace {
  const { document, state } = page;
  const isGiven = state.document?.given.includes(side) === true;
  const [title, lead] = SIDES.get(side) ?? [side, ''];
  const field = pageField(document, {
    identifier: `document.${state.document?.kind ?? ''}.${side}.image`,
    label: isGiven ? 'Another picture' : 'Picture',
    type: 'file',
    hint: 'A photo or a PDF, up to 10 MiB; a phone offers its camera',
  });
  const input = field.root.querySelector('input');
  input?.setAttribute('accept', 'image/*,application/pdf');
  if (side === 'selfie') input?.setAttribute('capture', 'user');
  // The same height with and without a picture, so that the layout doesn't move.
  const preview = element(document, 'div', { class: 'hosted-preview', 'aria-live': 'polite' });
  let shown = '';
  release();
  input?.addEventListener('change', () => {
    release();
    const file = input.files?.[0];
    if (!file) return;
    if (!file.type.startsWith('image/')) {
      preview.replaceChildren(`${file.type === 'application/pdf' ? 'A PDF' : 'A file'} is chosen.`);
      return;
    }
    shown = URL.createObjectURL(file);
    const alt = 'The picture that is about to be sent';
    preview.replaceChildren(element(document, 'img', { src: shown, alt }));
  });
  const next = nextPlace();
  const form = pageForm(document, {
    content: [
      ...(isGiven ? [element(document, 'p', { class: 'kyclone-status' }, ['This picture was given.'])] : []),
      field.root,
      preview,
    ],
    fields: () => [field],
    button: 'Send and continue',
    failed: page.failed,
    async submit() {
      const entry = field.entry();
      if (entry?.kind === 'file') {
        if (entry.file.size > UPLOAD_LIMIT_BYTES) throw refused(field.identifier, 'is larger than 10 MiB');
        await page.send(`document/${side}`, entry.file, () => next);
      } else if (isGiven) page.go(next);
      else throw refused(field.identifier, 'is required');
    },
  });
  return { title, lead, content: [form.root], left: release };

  function nextPlace(): string {
    const sides = state.document?.sides ?? [];
    const following = sides[sides.indexOf(side) + 1];
    return following === undefined ? '' : `document:${following}`;
  }

  function release(): void {
    if (shown !== '') URL.revokeObjectURL(shown);
    shown = '';
    preview.replaceChildren('No picture is chosen yet.');
  }
}

/** Appears beside the field. */
function refused(identifier: string, message: string): VaultError {
  return new VaultError('refused', 'Something is missing', { context: { [identifier]: message } });
}
