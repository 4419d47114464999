/** The places of the page by their names. */
import { bankPlace, type BankChoices } from './bank-places.ts';
import { dataPlace, ownersPlace } from './data-places.ts';
import { documentPlace, picturePlace } from './document-places.ts';
import { outcomePlace, reviewPlace } from './end-places.ts';
import { codePlace, identifyPlace } from './person-places.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import type { HostedPlaceName } from './state.ts';

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
      return dataPlace(page, part);
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
