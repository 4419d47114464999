/** What the person types about itself or the business: a screen of data, and the owners. */
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import type { Field } from '../form/field.ts';
import { states } from './choices.ts';
import { pageField, pageForm, quietButton } from './controls.ts';
import { last } from './end-places.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import type { FlowState, Group, HostedOwner, Screen } from './state.ts';
import { birthProblem } from './given.ts';
import { nameOf, phrase, titleOf } from './words.ts';

/** One screen of data: a field for each identifier. Where there are alternatives, the person chooses one. */
export function dataPlace(page: HostedPage, name: string): ShownPlace {
  const { state } = page;
  const screen = state.screens.find((each) => each.name === name);
  if (!screen)
    return last('problem', 'There is nothing to do here', 'Go back to the app that sent you here.');
  const data = dataFields(screen, state);
  const [title, lead] = titleOf(name);
  const form = pageForm(page, {
    content: data.content,
    fields: () => data.fields(),
    submit: () => page.send('data', { screen: name, data: data.values() }),
  });
  return { title, lead, content: [form] };
}

interface Slot {
  readonly root: HTMLElement;
  fields(): Field[];
}

function dataFields(screen: Screen, state: FlowState) {
  const country = screen.groups.find(({ identifiers }) => /\.country$/.test(identifiers[0] ?? ''));
  const slots = screen.groups.map((group) => slotOf(group, state));
  if (country) followCountry();
  return {
    content: slots.map(({ root }) => root),
    fields: () => slots.flatMap((slot) => slot.fields()),
    values,
  };

  /** The values to send. Throws VaultError for unreadable entries. */
  function values(): Record<string, unknown> {
    const shown = slots.flatMap((slot) => slot.fields());
    const unreadable = new Map<string, string>();
    const sent: Record<string, unknown> = {};
    // Clears values that were given before and are now left out.
    for (const identifier of screen.groups.flatMap(({ identifiers }) => identifiers)) {
      if (state.values[identifier] !== undefined) sent[identifier] = null;
    }
    for (const field of shown) {
      const entry = field.entry();
      if (entry?.kind === 'unreadable') unreadable.set(field.identifier, entry.message);
      if (entry?.kind !== 'value' || isBlank(entry.value)) continue;
      const problem =
        field.identifier === 'id.dob' ? birthProblem(String(entry.value), new Date()) : undefined;
      if (problem) unreadable.set(field.identifier, problem);
      sent[field.identifier] = entry.value;
    }
    if (unreadable.size === 0) return sent;
    throw new VaultError('unreadable_entry', 'Some entries can not be read', {
      context: Object.fromEntries(unreadable),
    });
  }

  /** In the United States the state is chosen from a list. Elsewhere it is typed and optional. */
  function followCountry(): void {
    const index = screen.groups.findIndex(
      ({ identifiers: [only = '', more] }) => /\.state$/.test(only) && !more,
    );
    const identifier = screen.groups[index]?.identifiers[0];
    const select = slots[screen.groups.indexOf(country as Group)]?.root.querySelector('select');
    if (identifier === undefined || !select) return;
    const place = element('div', {});
    let field = stateField();
    slots[index]?.root.replaceWith(place);
    slots[index] = { root: place, fields: () => [field] };
    place.append(field.root);
    select.addEventListener('change', () => {
      const next = stateField();
      field.root.replaceWith(next.root);
      field = next;
    });

    function stateField(): Field {
      const isHome = select?.value === 'US' || select?.value === '';
      const value = state.values[identifier ?? ''];
      return pageField({
        identifier: identifier ?? '',
        label: isHome ? nameOf(identifier ?? '') : phrase('Province or region (optional)'),
        ...(isHome && { choices: states() }),
        value: isHome ? upperCase(value) : value,
      });
    }
  }
}

function slotOf({ identifiers, is_required }: Group, state: FlowState): Slot {
  const [first = '', ...others] = identifiers;
  const fieldOf = (identifier: string, label?: string): Field => {
    const value = state.values[identifier];
    return pageField({
      identifier,
      ...(label !== undefined && { label }),
      value: /\.country$/.test(identifier) ? upperCase(value) : value,
    });
  };
  if (others.length === 0) {
    const name = nameOf(first);
    const isMarked = is_required || name.endsWith(')');
    const field = fieldOf(first, isMarked ? undefined : phrase('{0} (optional)', name));
    return { root: field.root, fields: () => [field] };
  }
  const given = identifiers.find((identifier) => state.values[identifier] !== undefined) ?? first;
  let field = fieldOf(given);
  const kind = pageField({
    identifier: 'kind',
    label: phrase('What do you have?'),
    choices: identifiers.map((identifier) => [identifier, nameOf(identifier)] as const),
    value: given,
  });
  const select = kind.root.querySelector('select');
  select?.querySelector('option[value=""]')?.remove();
  select?.addEventListener('change', () => {
    const next = fieldOf(select.value);
    field.root.replaceWith(next.root);
    field = next;
  });
  return {
    root: element('fieldset', { 'aria-label': phrase('One of these') }, [kind.root, field.root]),
    fields: () => [field],
  };
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** In the form of the country and state lists. */
function upperCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toUpperCase() : value;
}

const MEMBERS = ['first_name', 'last_name', 'email', 'phone_number'] as const;

interface Row {
  readonly root: HTMLElement;
  readonly fields: readonly Field[];
}

/** The owners of a business: the person at the page, and any number of others. */
export function ownersPlace(page: HostedPage): ShownPlace {
  const { state } = page;
  const { primary_stake = 0, others = [] } = state.owners ?? {};
  const own = stakeField('primary_stake', phrase('Your share in per cent'), primary_stake);
  const list = element('div', { class: 'choices' });
  let rows: Row[] = [];
  for (const owner of others) add(owner);
  const form = pageForm(page, {
    content: [own.root, list, quietButton(phrase('Add an owner'), () => add(undefined)?.focus())],
    fields: () => [own, ...rows.flatMap(({ fields }) => fields)],
    submit: () => page.send('owners', { primary_stake: shareOf(own), others: rows.map(ownerOf) }),
  });
  return {
    title: phrase('Who owns the business?'),
    lead: phrase('Everybody with a share of a quarter or more. You are one of the owners.'),
    content: [form],
  };

  function stakeField(identifier: string, label: string, value?: number): Field {
    return pageField({
      identifier,
      label,
      type: 'number',
      hint: phrase('A whole number from 0 to 100'),
      inputMode: 'numeric',
      value,
    });
  }

  function add(owner: HostedOwner | undefined): Field | undefined {
    const number = rows.length + 1;
    const place = `owners.${number}`;
    const fields = [
      ...MEMBERS.map((member) =>
        pageField({
          identifier: `${place}.${member}`,
          label: memberName(member),
          autocomplete: 'off',
          ...(owner?.[member] !== undefined && { value: owner[member] }),
        }),
      ),
      stakeField(`${place}.ownership_stake`, phrase('Share in per cent'), owner?.ownership_stake),
    ];
    const root = element('fieldset', { class: 'hosted-owner' }, [
      element('legend', {}, [phrase('Owner {0}', number + 1)]),
      ...fields.map((field) => field.root),
    ]);
    root.append(
      quietButton(
        phrase('Remove'),
        () => {
          const kept = rows.filter((row) => row.root !== root).map(ownerTyped);
          rows = [];
          list.replaceChildren();
          for (const each of kept) add(each);
        },
        phrase('Remove owner {0}', number + 1),
      ),
    );
    rows.push({ root, fields });
    list.append(root);
    return fields[0];
  }
}

function memberName(member: (typeof MEMBERS)[number]): string {
  const name = nameOf(`id.${member}`);
  return member === 'phone_number' ? phrase('{0} (optional)', name) : name;
}

function textOf(field: Field | undefined): string {
  const entry = field?.entry();
  return entry?.kind === 'value' ? String(entry.value) : '';
}

/** Throws VaultError unless the entry is a whole number of per cent. */
function shareOf(field: Field | undefined): number {
  const text = textOf(field);
  if (field && /^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new VaultError('unreadable_entry', 'A share is missing', {
    context: { [field?.identifier ?? '']: 'SHARE' },
  });
}

function namesOf({ fields }: Row): Omit<HostedOwner, 'ownership_stake'> {
  return Object.fromEntries(
    MEMBERS.flatMap((member, index) => {
      const text = textOf(fields[index]);
      return text === '' ? [] : [[member, text]];
    }),
  );
}

function ownerOf(row: Row): HostedOwner {
  return { ...namesOf(row), ownership_stake: shareOf(row.fields[MEMBERS.length]) };
}

/** The current entries, for drawing the row again. */
function ownerTyped(row: Row): HostedOwner {
  return { ...namesOf(row), ownership_stake: Number(textOf(row.fields[MEMBERS.length])) || 0 };
}
