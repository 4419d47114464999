/** Review and consent, the choice of an outcome in the sandbox, and the final screen. */
import { element } from '../form/elements.ts';
import type { VaultError } from '../form/errors.ts';
import type { DrawingName } from './drawings.ts';
import { pageForm } from './controls.ts';
import { radioChoices } from './options.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import { bankRows, consentForm, type ReviewRow } from './review-rows.ts';
import { placeOfIdentifier, type FlowState } from './state.ts';
import { displayed, nameOf, OUTCOMES, phrase, wordsOf } from './words.ts';

type Text = Parameters<typeof phrase>[0];

const SIDES: Readonly<Record<string, Text>> = { front: 'Front', back: 'Back side', selfie: 'You' };

export function reviewPlace(page: HostedPage): ShownPlace {
  const { state } = page;
  const rows: ReviewRow[] = [
    ...state.review.map(({ identifier, shown }) => ({
      name: nameOf(identifier),
      shown: displayed(identifier, shown),
      full: typedIn(page, identifier, shown),
      place: placeOfIdentifier(state, identifier),
    })),
    ...(state.document?.kind
      ? [
          {
            name: phrase('Document'),
            shown: wordsOf(state.document.kind),
            place: 'document',
            pictures: state.document.given.map((side) => ({
              name: phrase(SIDES[side] ?? 'Picture'),
              file: page.memory.pictures.get(side),
            })),
          },
        ]
      : []),
    ...(state.owners
      ? [
          {
            name: phrase('Owners'),
            shown: [
              phrase('You {0}', `${state.owners.primary_stake}\u00a0%`),
              ...state.owners.others.map(
                (owner) =>
                  `${[owner.first_name, owner.last_name].filter(Boolean).join(' ')} ${owner.ownership_stake}\u00a0%`,
              ),
            ].join(', '),
            place: 'owners',
          },
        ]
      : []),
  ];
  const form = consentForm(page, {
    rows: [...rows, ...bankRows(state.bank)],
    words: phrase(
      'I agree that this information is used to verify my identity, and I confirm that it is true.',
    ),
    button: phrase('Agree and continue'),
    async submit() {
      await page.send('consent', { consent: true }, state.is_live ? () => 'review' : undefined);
      if (state.is_live) await page.complete({});
    },
  });
  return {
    title: phrase('Is everything right?'),
    lead: phrase('You can still change it.'),
    content: [form.root],
    left: form.release,
  };
}

/** The value that `shown` masks, if it was given here. */
function typedIn({ state, memory }: HostedPage, identifier: string, shown: string): string | undefined {
  const { contact } = memory;
  const value = state.values[identifier] ?? (contact?.identifier === identifier ? contact.value : undefined);
  const full = typeof value === 'string' ? displayed(identifier, value) : shown;
  return full === displayed(identifier, shown) ? undefined : full;
}

export function outcomePlace(page: HostedPage): ShownPlace {
  const outcomes = OUTCOMES.map(([value, name, line]) => [value, phrase(name), phrase(line)] as const);
  const chosen = radioChoices(phrase('Outcome'), outcomes, '');
  const form = pageForm(page, {
    content: [
      element('p', { class: 'hosted-bar' }, [
        phrase('Sandbox: kyclone verifies nobody. You choose what is found.'),
      ]),
      chosen.root,
    ],
    button: phrase('Finish'),
    async submit() {
      const fixture_result = chosen.value();
      await page.complete(fixture_result === '' ? {} : { fixture_result });
    },
  });
  return {
    title: phrase('Choose an outcome'),
    lead: phrase('Sandbox only: real users never see this step.'),
    content: [form],
  };
}

/** The last step's answer in the query of the page, from the app; undefined when the person answers. */
export function givenOutcome(
  query: URLSearchParams,
  { is_step_up }: FlowState,
): { readonly fixture_result?: string } | undefined {
  const outcome = query.get('outcome') ?? '';
  // The run stepped up already, and would ask for a document again and again.
  if (is_step_up && (outcome === 'step_up' || outcome === 'use_rules_outcome')) return undefined;
  if (outcome === 'use_rules_outcome') return {};
  const isKnown = outcome !== '' && OUTCOMES.some(([name]) => name === outcome);
  return isKnown ? { fixture_result: outcome } : undefined;
}

/** Whether the person waits for a result. */
export function isAwaited({ state, result }: FlowState): boolean {
  return state === 'waiting' || result?.status === 'pending';
}

/** The text for the person at the end; shows the status in the sandbox only. */
export function endedPlace(state: FlowState): ShownPlace {
  if (state.state === 'closed') {
    return last(
      'problem',
      'This session is closed',
      'Go back to the app that sent you here, and start again.',
    );
  }
  if (state.flow === 'bank_link') {
    return last(
      'done',
      'You are done',
      'Your app goes on with the bank that you chose. You can close this page.',
    );
  }
  if (state.flow === 'update_auth_methods') {
    return last('done', 'Your contact is updated', 'You can close this page.');
  }
  const { result } = state;
  const outcome =
    result &&
    phrase(
      result.requires_manual_review
        ? 'Sandbox: the result is {0}, and somebody has to look.'
        : 'Sandbox: the result is {0}.',
      result.status,
    );
  return {
    ...(isAwaited(state)
      ? last('waiting', 'We are checking', 'This page updates by itself. You may also close it.')
      : last('done', 'You are done', 'Thank you. You can close this page.')),
    content: outcome ? [element('p', { class: 'hosted-bar', role: 'status' }, [outcome])] : [],
  };
}

/** A screen without a way on. */
export function last(name: DrawingName, title: Text, lead: Text): ShownPlace {
  return { drawing: name, title: phrase(title), lead: phrase(lead), content: [] };
}

/** Errors that get a screen of their own instead of a line above the form. */
export function screenOf({ code }: VaultError): ShownPlace | undefined {
  switch (code) {
    case 'unauthenticated':
      return last(
        'problem',
        'This link does not work',
        'Part of it may be missing. Go back to the app that sent you here, and start again.',
      );
    case 'token_expired':
      return last(
        'problem',
        'This link has expired',
        'Go back to the app that sent you here, and start again.',
      );
    case 'T122':
      return last(
        'done',
        'You are verified already',
        'There is nothing to do here. Go back to the app that sent you here.',
      );
    default:
      return undefined;
  }
}
