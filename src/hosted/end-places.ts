/** Review and consent, the choice of an outcome in the sandbox, and the final screen. */
import { element } from '../form/elements.ts';
import type { VaultError } from '../form/errors.ts';
import { pageForm } from './controls.ts';
import { radioChoices } from './options.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import { bankRows, consentForm, type ReviewRow } from './review-rows.ts';
import { placeOfIdentifier, type FlowState } from './state.ts';
import { displayed, nameOf, OUTCOMES, wordsOf } from './words.ts';

export function reviewPlace(page: HostedPage): ShownPlace {
  const { state } = page;
  const rows: ReviewRow[] = [
    ...state.review.map(({ identifier, shown }) => ({
      name: nameOf(identifier),
      shown: displayed(identifier, shown),
      place: placeOfIdentifier(state, identifier),
    })),
    ...(state.document?.kind
      ? [{ name: 'Document', shown: wordsOf(state.document.kind), place: 'document' }]
      : []),
    ...(state.owners
      ? [
          {
            name: 'Owners',
            shown: [
              `You ${state.owners.primary_stake}\u00a0%`,
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
    words: 'I agree that this information is used to verify my identity, and I confirm that it is true.',
    button: 'Agree and continue',
    async submit() {
      await page.send('consent', { consent: true }, state.is_live ? () => 'review' : undefined);
      if (state.is_live) await page.complete({});
    },
  });
  return { title: 'Is everything right?', lead: 'You can still change it.', content: [form.root] };
}

export function outcomePlace(page: HostedPage): ShownPlace {
  const { document } = page;
  const chosen = radioChoices(document, 'Outcome', OUTCOMES, '');
  const form = pageForm(document, {
    content: [
      element(document, 'p', { class: 'hosted-bar' }, [
        'Sandbox: kyclone verifies nobody. You choose what is found.',
      ]),
      chosen.root,
    ],
    fields: () => [],
    button: 'Finish',
    failed: page.failed,
    async submit() {
      const fixture_result = chosen.value();
      await page.complete(fixture_result === '' ? {} : { fixture_result });
    },
  });
  return {
    title: 'Choose an outcome',
    lead: 'Only here: a real page ends with the step before.',
    content: [form.root],
  };
}

/** The last step's answer in the query of the page, from the app; undefined when the person answers. */
export function givenOutcome(query: URLSearchParams): { readonly fixture_result?: string } | undefined {
  const outcome = query.get('outcome') ?? '';
  if (outcome === 'use_rules_outcome') return {};
  const isKnown = outcome !== '' && OUTCOMES.some(([name]) => name === outcome);
  return isKnown ? { fixture_result: outcome } : undefined;
}

/** The text for the person at the end; shows the status in the sandbox only. */
export function endedPlace({ document }: Pick<HostedPage, 'document'>, state: FlowState): ShownPlace {
  if (state.state === 'closed') {
    return message('This session is closed', 'Go back to the app that sent you here, and start again.');
  }
  if (state.flow === 'bank_link') {
    return message('You are done', 'Your app goes on with the bank that you chose. You can close this page.');
  }
  if (state.flow === 'update_auth_methods') {
    return message('Your contact is updated', 'You can close this page.');
  }
  const { result } = state;
  const isWaiting = result?.status === 'pending';
  const outcome =
    result &&
    `Sandbox: the result is ${result.status}${result.requires_manual_review ? ', and somebody has to look' : ''}.`;
  return {
    title: isWaiting ? 'We are checking' : 'You are done',
    lead: isWaiting
      ? 'This page goes on by itself. You may also close it.'
      : 'Thank you. You can close this page.',
    content: outcome ? [element(document, 'p', { class: 'hosted-bar', role: 'status' }, [outcome])] : [],
  };
}

export function message(title: string, lead: string): ShownPlace {
  return { title, lead, content: [] };
}

/** Errors that get a screen of their own instead of a line above the form. */
export function screenOf({ code }: VaultError): ShownPlace | undefined {
  switch (code) {
    case 'unauthenticated':
      return message(
        'This link does not work',
        'It was shortened, or is no link of this service. Go back to the app that sent you here, and start again.',
      );
    case 'token_expired':
      return message('This link has expired', 'Go back to the app that sent you here, and start again.');
    case 'T122':
      return message(
        'You are verified already',
        'There is nothing to do here. Go back to the app that sent you here.',
      );
    default:
      return undefined;
  }
}
