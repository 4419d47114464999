/** The places by name, and what surrounds one: name and logo of the app, steps, progress, the mark of the sandbox. */
import { element } from '../form/elements.ts';
import { bankPlace } from './bank-places.ts';
import { dataPlace, ownersPlace } from './data-places.ts';
import { documentPlace, picturePlace } from './document-places.ts';
import { outcomePlace, reviewPlace } from './end-places.ts';
import { codePlace, identifyPlace } from './person-places.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import { currentLanguage, phrase } from './words.ts';
import type { Appearance } from './embed-appearance.ts';
import { placesOf, stepIn, type BankChoices, type FlowState, type HostedPlaceName } from './state.ts';

const STEPS = {
  identify: 'You',
  data: 'Your details',
  owners: 'Owners',
  document: 'Document',
  bank: 'Bank',
  review: 'Review',
  outcome: 'Outcome',
} as const;

export interface At {
  readonly state: FlowState;
  readonly place: HostedPlaceName;
}

/** The app, the steps if there are any, and whether this is a sandbox. `now`: the index of the current step. */
export function sideOf({
  appearance,
  isOfBank,
  isSandbox,
  steps,
  now,
}: {
  readonly appearance: Appearance;
  readonly isOfBank: boolean;
  readonly isSandbox: boolean;
  readonly steps: FlowState['steps'];
  readonly now: number;
}): HTMLElement {
  const { name = phrase(isOfBank ? 'Link your bank' : 'Verify your identity'), logo } = appearance;
  return element('div', { class: 'hosted-side', lang: currentLanguage() }, [
    element('div', { class: 'hosted-brand' }, [
      ...(logo === undefined ? letterOf(appearance.name) : [element('img', { src: logo, alt: '' })]),
      element('span', {}, [name]),
      ...(isSandbox ? [element('b', { class: 'hosted-pill' }, [phrase('Sandbox')])] : []),
    ]),
    ...(steps.length > 0
      ? [
          element(
            'ol',
            { class: 'hosted-steps' },
            steps.map((step, index) =>
              element(
                'li',
                index < now ? { class: 'done' } : index === now ? { 'aria-current': 'step' } : {},
                [phrase(STEPS[step])],
              ),
            ),
          ),
        ]
      : []),
    ...(isSandbox
      ? [
          element('p', { class: 'hosted-note' }, [
            phrase('This is a sandbox: don’t enter real data. Nobody is verified, and no message is sent.'),
          ]),
        ]
      : []),
  ]);
}

/** The first letter of the app's name in place of its logo. */
function letterOf(name = ''): HTMLElement[] {
  const [letter] = /./u.exec(name) ?? [];
  if (letter === undefined) return [];
  return [element('span', { class: 'hosted-letter', 'aria-hidden': 'true' }, [letter])];
}

/** The current step among all, and how much of each is done. */
export function progressOf({ state, place }: At): { count: HTMLElement; bar: HTMLElement } {
  const { steps } = state;
  const now = steps.indexOf(stepIn(place));
  const count = phrase('Step {0} of {1}', now + 1, steps.length);
  const places = placesOf(state).filter((each) => stepIn(each) === steps[now]);
  const part = Math.max(0.08, places.indexOf(place) / Math.max(1, places.length));
  const bar = element(
    'div',
    {
      class: 'hosted-progress',
      role: 'progressbar',
      'aria-label': phrase('Progress'),
      'aria-valuemin': '0',
      'aria-valuemax': String(steps.length),
      'aria-valuenow': String(now),
      'aria-valuetext': `${count}: ${phrase(STEPS[steps[now] ?? 'identify'])}`,
    },
    steps.map((_, index) => {
      const fill = element('i', {});
      fill.style.width = `${(index < now ? 1 : index === now ? part : 0) * 100}%`;
      return element('span', {}, [fill]);
    }),
  );
  return { count: element('span', { class: 'hosted-count' }, [count]), bar };
}

// The places of the page by their names.

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
