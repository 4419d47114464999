/** One screen of data: a field for each identifier. Where there are alternatives, the person chooses one. */
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import type { Field } from '../form/field.ts';
import { states } from './choices.ts';
import { pageField } from './controls.ts';
import type { FlowState, Group, Screen } from './state.ts';
import { birthProblem } from './typed.ts';
import { nameOf, phrase } from './words.ts';

export interface DataPlace {
  readonly content: readonly Node[];
  fields(): Field[];
  /** The values to send. Throws VaultError for unreadable entries. */
  values(): Record<string, unknown>;
}

interface Slot {
  readonly root: HTMLElement;
  fields(): Field[];
}

export function dataPlace(document: Document, screen: Screen, state: FlowState): DataPlace {
  const country = screen.groups.find(({ identifiers }) => /\.country$/.test(identifiers[0] ?? ''));
  const slots = screen.groups.map((group) => slotOf(document, group, state));
  if (country) followCountry();
  return {
    content: slots.map(({ root }) => root),
    fields: () => slots.flatMap((slot) => slot.fields()),
    values,
  };

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
    const place = element(document, 'div', {});
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
      return pageField(document, {
        identifier: identifier ?? '',
        label: isHome ? nameOf(identifier ?? '') : phrase('Province or region (optional)'),
        ...(isHome && { choices: states() }),
        ...(value !== undefined && { value: isHome ? upperCase(value) : value }),
      });
    }
  }
}

function slotOf(document: Document, { identifiers, is_required }: Group, state: FlowState): Slot {
  const [first = '', ...others] = identifiers;
  const fieldOf = (identifier: string, label?: string): Field => {
    const value = state.values[identifier];
    return pageField(document, {
      identifier,
      ...(label !== undefined && { label }),
      ...(value !== undefined && {
        value: /\.country$/.test(identifier) ? upperCase(value) : value,
      }),
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
  const kind = pageField(document, {
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
    root: element(document, 'fieldset', { 'aria-label': phrase('One of these') }, [kind.root, field.root]),
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
