/** The initial data of a hosted flow (contract §10). Pure. */
import { Type } from '@sinclair/typebox';
import { requireValid } from '../../contract/validity.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { describeIdentifier, requireKnownIdentifiers } from '../../vault/identifiers/index.ts';
import { changesOf } from '../entities/index.ts';
import type { PlaybookRow } from '../playbooks/index.ts';
import { invalid, type SessionRequest } from './sessions-request.ts';

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
/** Members for the owners' step, which are not identifiers and not stored in a vault. */
const OwnersStep = Type.Object({
  'business.primary_owner_stake': Type.Optional(Stake),
  'business.secondary_beneficial_owners': Type.Optional(
    Type.Array(
      Type.Object(
        {
          first_name: Type.Optional(Text),
          last_name: Type.Optional(Text),
          email: Type.Optional(Text),
          phone_number: Type.Optional(Text),
          ownership_stake: Stake,
        },
        { additionalProperties: false },
      ),
      { maxItems: 100 },
    ),
  ),
});
const OWNERS_MEMBERS: ReadonlySet<string> = new Set(Object.keys(OwnersStep.properties));

/**
 * Splits the data of the request by entity, with dates in ISO form. Data for the owners' step is checked and stays in
 * the request. Throws `invalid_request` for data that doesn't suit the playbook.
 */
export function bootstrapOf(
  { bootstrap_data, business_external_id }: SessionRequest,
  { kind }: PlaybookRow,
): Bootstrap {
  const all = [...changesOf(bootstrap_data)];
  const data = all.filter(([name]) => !OWNERS_MEMBERS.has(name));
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
  requireOwners(all);
  const dated = data.map(([name, value]) => [name, DATES.has(name) ? isoDate(value) : value] as const);
  return {
    user: new Map(dated.filter((entry) => !isBusiness(entry))),
    business: new Map(dated.filter(isBusiness)),
  };
}

/** Throws `invalid_request` naming each invalid member, and for stakes of more than 100 per cent in total. */
function requireOwners(all: readonly (readonly [string, JsonValue])[]): void {
  const given = all.filter(([name, value]) => OWNERS_MEMBERS.has(name) && value !== null);
  if (given.length === 0) return;
  const owners = Object.fromEntries(given);
  requireValid(OwnersStep, owners, 'Bootstrap data');
  const { 'business.primary_owner_stake': primary, 'business.secondary_beneficial_owners': others } =
    owners as {
      'business.primary_owner_stake'?: number;
      'business.secondary_beneficial_owners'?: readonly { readonly ownership_stake: number }[];
    };
  const stakes = [primary ?? 0, ...(others ?? []).map(({ ownership_stake }) => ownership_stake)];
  if (stakes.reduce((sum, stake) => sum + stake, 0) > 100) {
    throw invalid('bootstrap_data: the stakes of the owners add up to more than 100 per cent');
  }
}

/** Other values stay unchanged; the rule of the identifier checks them. */
function isoDate(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  const [, month, day, year] = AMERICAN_DATE.exec(value.trim()) ?? [];
  return year === undefined ? value : `${year}-${month}-${day}`;
}
