/** The required data of a hosted flow as screens: one for each family of identifiers (contract §14). Pure. */
import type { AnswerOf } from '../../../contract/registry.ts';
import { DOMESTIC, FRONT_IMAGES } from '../../onboardings/service/index.ts';

export type Screen = AnswerOf<'GET /hosted/session'>['screens'][number];
type Group = Screen['groups'][number];

/** In the order of the flow; other identifiers come last. */
const FAMILIES: readonly (readonly [name: string, identifiers: readonly string[]])[] = [
  ['name', ['id.first_name', 'id.middle_name', 'id.last_name']],
  ['birth', ['id.dob']],
  ['contact', ['id.email', 'id.phone_number']],
  ['address', ['id.country', 'id.address_line1', 'id.address_line2', 'id.city', 'id.state', 'id.zip']],
  ['tax', ['id.ssn9', 'id.ssn4', 'id.itin', 'id.us_tax_id']],
  [
    'legal_status',
    ['id.us_legal_status', 'id.visa_kind', 'id.visa_expiration_date', 'id.nationality', 'id.citizenships'],
  ],
  ['licence', ['id.drivers_license_number', 'id.drivers_license_state']],
  [
    'business',
    [
      'business.name',
      'business.dba',
      'business.tin',
      'business.corporation_type',
      'business.website',
      'business.phone_number',
      'business.formation_state',
      'business.formation_date',
    ],
  ],
  [
    'business_address',
    [
      'business.country',
      'business.address_line1',
      'business.address_line2',
      'business.city',
      'business.state',
      'business.zip',
    ],
  ],
];
const INVESTOR = 'investor_profile';
const REST = 'more';
const COUNTRY = 'id.country';
/** Offered together with another identifier, but never required. */
const BESIDE: ReadonlyMap<string, string> = new Map([
  ['id.address_line1', 'id.address_line2'],
  ['business.address_line1', 'business.address_line2'],
]);
const FRONT: ReadonlySet<string> = new Set(FRONT_IMAGES);

export interface AskedFields {
  /** One identifier of a group is enough. */
  readonly groups: readonly (readonly string[])[];
  /** Identifiers offered even if not required: those of bootstrap data. */
  readonly offered: readonly string[];
  /** Whether the vault has it already. */
  readonly isStored: (identifier: string) => boolean;
  /** Whether it was entered in this flow. */
  readonly isGiven: (identifier: string) => boolean;
  /** Whether the person's address is known to be outside the United States. */
  readonly isAbroad: boolean;
  /** Names of the screens that were sent. */
  readonly sent: readonly string[];
}

export function screensOf(asked: AskedFields): Screen[] {
  const groups = groupsToShow(asked);
  const hasCountry = groups.some(({ identifiers }) => identifiers.includes(COUNTRY));
  const byName = new Map<string, Group[]>();
  for (const group of groups) {
    const name = familyOf(group.identifiers[0] ?? '');
    // A state may still be required if the country is on the same screen and can change.
    if (group.is_domestic && asked.isAbroad && !(hasCountry && name === 'address')) continue;
    byName.set(name, [...(byName.get(name) ?? []), group]);
  }
  const order = [...FAMILIES.map(([name]) => name), INVESTOR, REST];
  return [...byName]
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .map(([name, members]) => ({
      name,
      groups: inOrder(name, members),
      is_done: isDone(name, members, asked),
    }));
}

/** The groups without any value. */
export function missingOf(
  screen: Screen,
  { isGiven, isAbroad }: Pick<AskedFields, 'isGiven' | 'isAbroad'>,
): Group[] {
  return screen.groups.filter(
    ({ identifiers, is_required, is_domestic }) =>
      is_required && !(is_domestic && isAbroad) && !identifiers.some(isGiven),
  );
}

function isDone(name: string, groups: Group[], asked: AskedFields): boolean {
  return asked.sent.includes(name) && missingOf({ name, groups, is_done: false }, asked).length === 0;
}

function groupsToShow({ groups, offered, isStored }: AskedFields): Group[] {
  const required = groups
    .filter((group) => !group.some(isStored) && !group.some((identifier) => FRONT.has(identifier)))
    .map((identifiers) => groupOf(identifiers, true));
  const named = new Set(required.flatMap(({ identifiers }) => identifiers));
  const beside = [...named].flatMap((identifier) => BESIDE.get(identifier) ?? []);
  const optional = [...new Set([...offered, ...beside])]
    .filter((identifier) => !named.has(identifier))
    .map((identifier) => groupOf([identifier], false));
  return [...required, ...optional];
}

function groupOf(identifiers: readonly string[], is_required: boolean): Group {
  return {
    identifiers: [...identifiers],
    is_required,
    is_domestic: identifiers.every((identifier) => DOMESTIC.has(identifier)),
  };
}

function familyOf(identifier: string): string {
  if (identifier.startsWith(`${INVESTOR}.`)) return INVESTOR;
  return FAMILIES.find(([, identifiers]) => identifiers.includes(identifier))?.[0] ?? REST;
}

function inOrder(name: string, groups: Group[]): Group[] {
  const order = FAMILIES.find(([family]) => family === name)?.[1];
  if (!order) return groups;
  const placeOf = ({ identifiers: [first = ''] }: Group) => order.indexOf(first);
  return [...groups].sort((a, b) => placeOf(a) - placeOf(b));
}
