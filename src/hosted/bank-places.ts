/**
 * The person chooses a bank (contract §14, step 5): the institution, the persona whose data it has, and accounts. The
 * page of a bank link alone also asks for consent, and can connect a link again.
 */
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { last } from './end-places.ts';
import { pageField, pageForm, quietButton } from './controls.ts';
import { checkboxField, radioChoices } from './options.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import { bankRows, consentForm } from './review-rows.ts';
import type { BankChoices, FlowState } from './state.ts';
import { phrase, wordsOf } from './words.ts';

type Bank = NonNullable<FlowState['bank']>;

type Account = BankChoices['personas'][number]['accounts'][number];

const LONGEST_NAME = 128;

/** `part`: the rest of the place's name after `bank:`. */
export function bankPlace(page: HostedPage, part: string, choices: BankChoices | undefined): ShownPlace {
  const { bank } = page.state;
  if (!bank || !choices)
    return last('problem', 'There is nothing to do here', 'Go back to the app that sent you here.');
  switch (part) {
    case 'institution':
      return institutionPlace(page, bank, choices);
    case 'persona':
      return personaPlace(page, bank, choices);
    case 'accounts':
      return accountsPlace(page, bank, choices);
    case 'agree':
      return agreePlace(page, bank, choices);
    default:
      return againPlace(page, bank);
  }
}

function institutionPlace(
  page: HostedPage,
  bank: Bank,
  { institutions, suggested }: BankChoices,
): ShownPlace {
  const search = pageField({
    identifier: 'institution',
    label: phrase('Search for your bank'),
    hint: phrase('Any name will do: no real bank is asked'),
    type: 'search',
    autocomplete: 'off',
  });
  const input = search.root.querySelector('input');
  input?.setAttribute('maxlength', String(LONGEST_NAME));
  const list = element('div', {});
  const count = element('p', { class: 'kyclone-hint', role: 'status' });
  let chosen = listed(bank.institution ?? suggested.institution);
  input?.addEventListener('input', () => {
    chosen = listed(chosen.value());
  });
  const form = pageForm(page, {
    content: [search.root, count, list],
    fields: () => [search],
    submit: () => {
      const { persona, accounts } = bank;
      const kept = { ...(persona !== null && { persona }), ...(accounts !== null && { accounts }) };
      return page.send('bank', { institution: chosen.value(), ...kept });
    },
  });
  return {
    title: phrase('Which bank do you use?'),
    lead: phrase('Choose the bank that holds your accounts.'),
    content: [form],
  };

  /** The institutions that match the search; selects the first if the selected one no longer matches. */
  function listed(before: string) {
    const typed = (input?.value ?? '').trim();
    const wanted = typed.toLowerCase();
    const all = institutions.includes(before) ? institutions : [before, ...institutions];
    const found = all.filter((name) => name.toLowerCase().includes(wanted));
    const isNew = wanted !== '' && !found.some((name) => name.toLowerCase() === wanted);
    const options = [
      ...found.map((name) => [name, name] as const),
      ...(isNew ? [[typed, phrase('Use “{0}”', typed)] as const] : []),
    ];
    const first = options[0]?.[0] ?? '';
    const next = radioChoices(phrase('Banks'), options, found.includes(before) ? before : first);
    list.replaceChildren(next.root);
    count.textContent =
      wanted === ''
        ? ''
        : found.length === 1
          ? phrase('1 bank found')
          : phrase('{0} banks found', found.length);
    return next;
  }
}

function personaPlace(page: HostedPage, bank: Bank, { personas, suggested }: BankChoices): ShownPlace {
  const chosen = radioChoices(
    phrase('Persona'),
    personas.map(({ name, description }) => [name, wordsOf(name), description] as const),
    bank.persona ?? suggested.persona,
  );
  const form = pageForm(page, {
    content: [
      element('p', { class: 'hosted-bar' }, [
        phrase('kyclone asks no bank and needs no password: you choose whose data your app gets.'),
      ]),
      chosen.root,
    ],
    submit() {
      const persona = chosen.value();
      const { institution, accounts } = bank;
      const kept = persona === bank.persona && accounts !== null ? { accounts } : {};
      return page.send('bank', { institution, persona, ...kept });
    },
  });
  return {
    title: phrase('Who are you today?'),
    lead: phrase('You are a made-up customer of {0}', bank.institution ?? '').replace(/\.?$/, '.'),
    content: [form],
  };
}

function accountsPlace(page: HostedPage, bank: Bank, { personas }: BankChoices): ShownPlace {
  const { institution, persona } = bank;
  const found = personas.find(({ name }) => name === persona);
  if (found?.fails) return failingPlace(page, bank);
  const accounts = found?.accounts ?? [];
  const field = checkboxField({
    identifier: 'accounts',
    label: phrase('Accounts'),
    choices: accounts.map((account) => [account.key, accountWords(account)] as const),
    value: bank.accounts ?? accounts.map(({ key }) => key),
  });
  const form = pageForm(page, {
    content: [field.root],
    fields: () => [field],
    submit() {
      const entry = field.entry();
      if (entry?.kind === 'value') return page.send('bank', { institution, persona, accounts: entry.value });
      throw new VaultError('missing', 'No account is chosen', { context: { accounts: 'ANY' } });
    },
  });
  return {
    title: phrase('Which accounts?'),
    lead: phrase('What you leave out stays unknown to the app.'),
    content: [form],
  };
}

function accountWords({ name, account_type, currency, is_closed }: Account): string {
  const kind = account_type.slice(account_type.indexOf('.') + 1).replace(/_/g, ' ');
  return [
    name,
    kind,
    ...(currency === 'USD' ? [] : [currency]),
    ...(is_closed ? [phrase('closed')] : []),
  ].join(', ');
}

/** A bank that fails on purpose: the app gets a link in state error, which can be connected again. */
function failingPlace(page: HostedPage, { institution, persona }: Bank): ShownPlace {
  const form = pageForm(page, {
    content: [
      element('p', { class: 'hosted-bar' }, [
        phrase(
          'This persona fails on purpose: the link starts in state error, institution_error, without accounts.',
        ),
      ]),
    ],
    button: phrase('Link it anyway'),
    submit: () => page.send('bank', { institution, persona, accounts: [] }),
  });
  return {
    title: phrase('The bank does not answer'),
    lead: phrase(
      '{0} can not be reached. Choose somebody else, or see what your app does with such a link.',
      institution ?? '',
    ),
    content: [form, quietButton(phrase('Choose somebody else'), () => page.go('bank:persona'))],
    isProblem: true,
  };
}

const agreement = () =>
  phrase('I agree that the app which sent me here sees these accounts with their balances and transactions.');

function agreePlace(page: HostedPage, bank: Bank, { personas }: BankChoices): ShownPlace {
  const names = (personas.find(({ name }) => name === bank.persona)?.accounts ?? [])
    .filter(({ key }) => bank.accounts?.includes(key))
    .map(({ name }) => name);
  const form = consentForm(page, {
    rows: bankRows(bank, names),
    words: agreement(),
    button: phrase('Agree and link'),
    submit: () => page.complete({ consent: true }),
  });
  return { title: phrase('Link this bank?'), lead: phrase('You can still change it.'), content: [form.root] };
}

const REASONS = new Map([
  ['auth_expired', '{0} wants you to sign in again.'],
  ['institution_error', '{0} did not answer last time. It does now.'],
] as const);

function againPlace(page: HostedPage, { link }: Bank): ShownPlace {
  const reason = REASONS.get(link?.error_code as 'auth_expired') ?? '{0} is connected: this renews it.';
  const form = consentForm(page, {
    rows: [],
    words: agreement(),
    button: phrase('Agree and connect'),
    submit: () => page.complete({ consent: true }),
  });
  return {
    title: phrase('Connect your bank again'),
    lead: phrase(reason, link?.institution ?? ''),
    content: [form.root],
  };
}

/** The page of a bank link when there is no bank to link. */
export function banklessPlace({ bank }: FlowState): ShownPlace {
  return bank
    ? last(
        'problem',
        'Sign up first',
        'The app does not know you yet. Open the link that it sent you for signing up.',
      )
    : last(
        'problem',
        'There is no bank to link',
        'Go back to the app that sent you here: it asks for no bank now.',
      );
}
