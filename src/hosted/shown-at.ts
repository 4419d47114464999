/** The places of the page by their names. */
import { bankPlace, type BankChoices } from './bank-places.ts';
import { pageForm } from './controls.ts';
import { dataPlace } from './data-place.ts';
import { documentPlace, picturePlace } from './document-places.ts';
import { last, outcomePlace, reviewPlace } from './end-places.ts';
import { ownersPlace } from './owners-place.ts';
import { codePlace, identifyPlace } from './person-places.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import type { HostedPlaceName } from './state.ts';
import { phrase, titleOf } from './words.ts';

export function shownAt(
  page: HostedPage,
  place: HostedPlaceName,
  choices: BankChoices | undefined,
): ShownPlace {
  const [step = '', part = ''] = place.split(':');
  switch (step) {
    case 'identify':
      return identifyPlace(page);
    case 'code':
      return codePlace(page);
    case 'data':
      return dataShown(page, part);
    case 'owners':
      return ownersPlace(page);
    case 'document':
      return part === '' ? documentPlace(page) : picturePlace(page, part);
    case 'bank':
      return bankPlace(page, part, choices);
    case 'review':
      return reviewPlace(page);
    default:
      return outcomePlace(page);
  }
}

function dataShown(page: HostedPage, name: string): ShownPlace {
  const { document, state } = page;
  const screen = state.screens.find((each) => each.name === name);
  if (!screen)
    return last('problem', 'There is nothing to do here', 'Go back to the app that sent you here.');
  const data = dataPlace(document, screen, state);
  const [title, lead] = titleOf(name);
  const form = pageForm(document, {
    content: data.content,
    fields: () => data.fields(),
    button: phrase('Continue'),
    failed: page.failed,
    submit: () => page.send('data', { screen: name, data: data.values() }),
  });
  return { title, lead, content: [form.root] };
}
