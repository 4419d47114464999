/** The initial data of a hosted flow (contract §10). Pure. */
import { type Static, Type } from '@sinclair/typebox';
import { requireValid } from '../../../contract/validity.ts';
import { isJsonObject, type JsonValue } from '../../../kernel/text/json.ts';
import { describeIdentifier, requireKnownIdentifiers } from '../../../vault/identifiers/index.ts';
import { changesOf } from '../../entities/service/index.ts';
import type { PlaybookRow } from '../../playbooks/service.ts';
import type { GivenOwners, SessionRequest } from './sessions-request.ts';
import { invalid } from '../../../kernel/errors.ts';

type Changes = ReadonlyMap<string, JsonValue>;

export interface Bootstrap {
  readonly user: Changes;
  readonly business: Changes;
}

/** Identifiers whose values may have the form MM/DD/YYYY. */
const DATES: ReadonlySet<string> = new Set(['id.dob', 'id.visa_expiration_date', 'business.formation_date']);
const AMERICAN_DATE = /^(\d{2})\/(\d{2})\/(\d{4})$/;

const Stake = Type.Integer({ minimum: 0, maximum: 100 });
const Text = Type.String({ minLength: 1, maxLength: 500 });
const Owners = Type.Array(
  Type.Object(
    {
      first_name: Type.Optional(Text),
      last_name: Type.Optional(Text),
      email: Type.Optional(Text),
      phone_number: Type.Optional(Text),
      ownership_stake: Type.Optional(Stake),
    },
    { additionalProperties: false },
  ),
  { maxItems: 100 },
);
/** A whole percentage as a text. */
const STAKE = /^\d{1,3}(?:\.0{1,4})?$/;
const PRIMARY = 'business.primary_owner_stake';
/** The published names of the list of the other owners. */
const LISTS = [
  'business.secondary_owners',
  'business.secondary_beneficial_owners',
  'business.kyced_beneficial_owners',
] as const;
/** Members for the owners' step, which are not stored in a vault. */
const OwnersStep = Type.Object({
  [PRIMARY]: Type.Optional(Stake),
  ...Object.fromEntries(LISTS.map((name) => [name, Type.Optional(Owners)])),
});
const OWNERS_MEMBERS: ReadonlySet<string> = new Set([PRIMARY, ...LISTS]);

/** The initial data that the flow offers: what a link leaves alone isn't asked for again. */
export function offeredBy(
  { keepsStored }: { readonly keepsStored?: boolean },
  changes: Changes,
  isStored: (identifier: string) => boolean,
): Changes {
  return keepsStored === true ? new Map([...changes].filter(([each]) => !isStored(each))) : changes;
}

/**
 * Splits the data of the request by entity, with dates in ISO form. Data for the owners' step is checked and stays in
 * the request. Throws `invalid_request` for data that doesn't suit the playbook.
 */
export function bootstrapOf(
  { bootstrap_data, business_external_id }: SessionRequest,
  { kind, collects_owners }: PlaybookRow,
): Bootstrap {
  const all = [...changesOf(bootstrap_data)];
  // The name of the last list is an identifier, too: without an owners' step the list goes into the vault.
  const isIdentifier = (name: string) =>
    !OWNERS_MEMBERS.has(name) || (!collects_owners && describeIdentifier(name) !== undefined);
  const data = all.filter(([name]) => isIdentifier(name));
  requireKnownIdentifiers(data.map(([name]) => name));
  const isBusiness = ([name]: readonly [string, JsonValue]) =>
    describeIdentifier(name)?.family === 'business' || OWNERS_MEMBERS.has(name);
  if (kind !== 'kyb' && business_external_id !== undefined) {
    throw invalid('business_external_id is for kyb playbooks only');
  }
  const ofBusiness = all.filter(isBusiness).map(([name]) => name);
  if (kind !== 'kyb' && ofBusiness.length > 0) {
    const named = ofBusiness.slice(0, 20).join(', ');
    throw invalid(`bootstrap_data holds ${named}, which only a kyb playbook takes`);
  }
  requireOwners(all.filter(([name]) => !isIdentifier(name)));
  const dated = data.map(([name, value]) => [name, DATES.has(name) ? isoDate(value) : value] as const);
  return {
    user: new Map(dated.filter((entry) => !isBusiness(entry))),
    business: new Map(dated.filter(isBusiness)),
  };
}

/** Throws `invalid_request` naming each invalid member, and for stakes of more than 100 per cent in total. */
function requireOwners(given: readonly (readonly [string, JsonValue])[]): void {
  const members = new Map(given.flatMap(([name, value]) => (value === null ? [] : [[name, present(value)]])));
  if (members.size === 0) return;
  requireValid(OwnersStep, Object.fromEntries(members), 'Bootstrap data');
  const lists = LISTS.filter((name) => members.has(name));
  if (lists.length > 1) throw invalid(`bootstrap_data: give only one of ${lists.join(', ')}`);
  const { primary_stake, others } = proposedOwners(Object.fromEntries(given));
  if (others.reduce((sum, { ownership_stake }) => sum + ownership_stake, primary_stake) > 100) {
    throw invalid('bootstrap_data: the stakes of the owners add up to more than 100 per cent');
  }
}

/** The owners that checked bootstrap data propose for the owners' step. An owner without a stake has 0. */
export function proposedOwners(data: Readonly<Record<string, unknown>>): GivenOwners {
  const given = LISTS.map((name) => data[name] ?? null).find((list) => list !== null) ?? [];
  return {
    primary_stake: (present((data[PRIMARY] ?? null) as JsonValue) as number | null) ?? 0,
    others: (present(given as JsonValue) as Static<typeof Owners>).map((owner) => ({
      ...owner,
      ownership_stake: owner.ownership_stake ?? 0,
    })),
  };
}

/** Without the members of owners that are null, and with stakes as numbers; samples send them as texts, too. */
function present(value: JsonValue): JsonValue {
  if (typeof value === 'string') return STAKE.test(value) ? Number(value) : value;
  if (!Array.isArray(value)) return value;
  return value.map((owner) => {
    if (!isJsonObject(owner)) return owner;
    const members = Object.entries(owner).filter(([, member]) => member !== null);
    return Object.fromEntries(
      members.map(([name, member]) => [name, name === 'ownership_stake' ? present(member) : member]),
    );
  });
}

/** Other values stay unchanged; the rule of the identifier checks them. */
function isoDate(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const [, month, day, year] = AMERICAN_DATE.exec(value.trim()) ?? [];
  return year === undefined ? value : `${year}-${month}-${day}`;
}
