/** The owners of a business: the person at the page, and any number of others. */
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import type { Field } from '../form/field.ts';
import { pageField, pageForm, quietButton } from './controls.ts';
import type { HostedPage, ShownPlace } from './place.ts';
import type { HostedOwner } from './state.ts';
import { nameOf, phrase } from './words.ts';

const MEMBERS = ['first_name', 'last_name', 'email', 'phone_number'] as const;

interface Row {
  readonly root: HTMLElement;
  readonly fields: readonly Field[];
}

export function ownersPlace(page: HostedPage): ShownPlace {
  const { document, state } = page;
  const { primary_stake = 0, others = [] } = state.owners ?? {};
  const own = stakeField('primary_stake', phrase('Your share in per cent'), primary_stake);
  const list = element(document, 'div', { class: 'choices' });
  let rows: Row[] = [];
  for (const owner of others) add(owner);
  const form = pageForm(document, {
    content: [own.root, list, quietButton(document, phrase('Add an owner'), () => add(undefined)?.focus())],
    fields: () => [own, ...rows.flatMap(({ fields }) => fields)],
    button: phrase('Continue'),
    failed: page.failed,
    submit: () => page.send('owners', { primary_stake: shareOf(own), others: rows.map(ownerOf) }),
  });
  return {
    title: phrase('Who owns the business?'),
    lead: phrase('Everybody with a share of a quarter or more. You are one of the owners.'),
    content: [form.root],
  };

  function stakeField(identifier: string, label: string, value?: number): Field {
    return pageField(document, {
      identifier,
      label,
      type: 'number',
      hint: phrase('A whole number from 0 to 100'),
      inputMode: 'numeric',
      ...(value !== undefined && { value: String(value) }),
    });
  }

  function add(owner: HostedOwner | undefined): Field | undefined {
    const number = rows.length + 1;
    const place = `owners.${number}`;
    const fields = [
      ...MEMBERS.map((member) =>
        pageField(document, {
          identifier: `${place}.${member}`,
          label: memberName(member),
          autocomplete: 'off',
          ...(owner?.[member] !== undefined && { value: owner[member] }),
        }),
      ),
      stakeField(`${place}.ownership_stake`, phrase('Share in per cent'), owner?.ownership_stake),
    ];
    const root = element(document, 'fieldset', { class: 'hosted-owner' }, [
      element(document, 'legend', {}, [phrase('Owner {0}', number + 1)]),
      ...fields.map((field) => field.root),
    ]);
    root.append(
      quietButton(
        document,
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
