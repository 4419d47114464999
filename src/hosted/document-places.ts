/** The document: its kind and country, then a picture of each side with a preview before it is sent. */
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { countries } from './choices.ts';
import { pageField, pageForm } from './controls.ts';
import { radioChoices } from './options.ts';
import { sentenceOf } from './refusal-words.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import { judged } from './given.ts';
import { phrase, wordsOf } from './words.ts';

export function documentPlace(page: HostedPage): ShownPlace {
  const { state } = page;
  const { kinds = [], kind, country } = state.document ?? {};
  const chosen = radioChoices(
    phrase('Kind of document'),
    kinds.map((each) => [each, wordsOf(each)] as const),
    kind ?? kinds[0] ?? '',
  );
  const issuer = pageField({
    identifier: 'country',
    label: phrase('Country that issued it'),
    choices: countries(),
    ...(country && { value: country.toUpperCase() }),
  });
  const form = pageForm(page, {
    content: [chosen.root, issuer.root],
    fields: () => [issuer],
    async submit() {
      const entry = issuer.entry();
      if (entry?.kind !== 'value') throw refused('country', 'is required');
      const body = { kind: chosen.value(), country: entry.value };
      if (body.kind !== kind) page.memory.pictures.clear();
      await page.send('document', body, (next) => `document:${next.document?.sides[0] ?? ''}`);
    },
  });
  return {
    title: phrase('Your document'),
    lead: phrase('Use the original, not a copy. It must not have expired.'),
    content: [form],
  };
}

const SIDES = new Map([
  ['front', ['The front of your document', 'All four corners visible, no glare.']],
  ['back', ['The back of your document', 'All four corners visible, no glare.']],
  ['selfie', ['A picture of you', 'Your face alone, well lit, no hat.']],
] as const);

export function picturePlace(page: HostedPage, side: string): ShownPlace {
  const { state, memory } = page;
  const isGiven = state.document?.given.some((each) => each === side) === true;
  const [title, lead] = SIDES.get(side as 'front') ?? (['Picture', 'Picture'] as const);
  const field = pageField({
    identifier: `document.${state.document?.kind ?? ''}.${side}.image`,
    label: phrase(isGiven ? 'Another picture' : 'Picture'),
    type: 'file',
    hint: phrase('JPG, PNG, HEIC or PDF, up to 10 MB; a phone offers its camera'),
  });
  const input = field.root.querySelector('input');
  input?.setAttribute('accept', 'image/jpeg,image/png,image/heic,.heic,application/pdf');
  if (side === 'selfie') input?.setAttribute('capture', 'user');
  // The same height with and without a picture, so that the layout doesn't move.
  const preview = element('div', { class: 'hosted-preview', 'aria-live': 'polite' });
  let shown = '';
  /** The chosen file that the browser couldn't draw. */
  let unseen: File | undefined;
  release();
  input?.addEventListener('change', () => {
    release();
    const chosen = input.files?.[0];
    if (chosen) void show(chosen);
  });
  const next = nextPlace();
  const form = pageForm(page, {
    content: [
      ...(isGiven
        ? [element('p', { class: 'kyclone-status' }, [phrase('We have this picture already.')])]
        : []),
      field.root,
      preview,
    ],
    fields: () => [field],
    button: phrase('Send and continue'),
    async submit() {
      const entry = field.entry();
      if (entry?.kind === 'file') {
        const file = await judged(entry.file);
        if (typeof file === 'string') throw refused(field.identifier, file);
        if (unseen === entry.file) throw refused(field.identifier, 'UNSEEN');
        memory.pictures.set(side, file);
        await page.send(`document/${side}`, file, () => next);
      } else if (isGiven) page.go(next);
      else throw refused(field.identifier, 'UPL');
    },
  });
  return { title: phrase(title), lead: phrase(lead), content: [form], left: release };

  /** Shows the chosen file, or why it is refused. */
  async function show(chosen: File): Promise<void> {
    const file = await judged(chosen);
    if (input?.files?.[0] !== chosen) return;
    if (typeof file === 'string') {
      field.fail(sentenceOf(field.identifier, file));
      return;
    }
    if (file.type === 'application/pdf') {
      preview.replaceChildren(phrase('{0} is chosen: it has no preview.', 'PDF'));
      return;
    }
    shown = URL.createObjectURL(file);
    const picture = element('img', { alt: phrase('The picture that is about to be sent') });
    picture.addEventListener('error', () => {
      // Few browsers draw HEIC.
      if (file.type === 'image/heic') {
        preview.replaceChildren(phrase('{0} is chosen: it has no preview.', 'HEIC'));
        return;
      }
      release();
      unseen = chosen;
      field.fail(sentenceOf(field.identifier, 'UNSEEN'));
    });
    picture.src = shown;
    preview.replaceChildren(picture);
  }

  function nextPlace(): string {
    const sides = state.document?.sides ?? [];
    const following = sides[sides.findIndex((each) => each === side) + 1];
    return following === undefined ? '' : `document:${following}`;
  }

  function release(): void {
    if (shown !== '') URL.revokeObjectURL(shown);
    shown = '';
    unseen = undefined;
    preview.replaceChildren(phrase('No picture is chosen yet.'));
  }
}

/** Appears beside the field. */
function refused(identifier: string, reason: string): VaultError {
  return new VaultError('refused', 'The entry is refused', { context: { [identifier]: reason } });
}
