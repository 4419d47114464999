import { wordsOf } from '../../contract/facts/identifier-words.ts';
import { isJsonObject } from '../../kernel/json.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { country, date, email, phoneNumber, state, usState, webAddress, zip } from './format-rules.ts';
import {
  domainOnly,
  firstCharacter,
  lastFour,
  shape,
  shown,
  REFUSED,
  Refusal,
  each,
  familyTable,
  inWords,
  type Cleaner,
  type IdentifierRule,
  type CleaningContext,
} from './rule.ts';
import { digits, oneOf, text } from './text-rules.ts';
import type { TextCleaner } from './text-rules.ts';

const ownershipStake: Cleaner = inWords('a JSON number above 0, at most 100', (value: JsonValue) =>
  typeof value === 'number' && value > 0 && value <= 100 ? value : REFUSED.STK,
);

interface OwnerMember {
  readonly name: string;
  readonly clean: Cleaner;
  readonly isOptional?: true;
}

function orElse(clean: TextCleaner, refusal: Refusal): Cleaner {
  return (value, situation) => {
    if (typeof value !== 'string') return refusal;
    const cleaned = clean(value, situation);
    if (!(cleaned instanceof Refusal) || cleaned === REFUSED.SBX) return cleaned;
    // The same reason may go on with what was found.
    return cleaned.reason.startsWith(refusal.reason) ? cleaned : refusal;
  };
}

/** In the order in which they are refused: a wrong shape of any owner takes precedence over a wrong stake. */
const OWNER: readonly OwnerMember[] = [
  { name: 'first_name', clean: orElse(text(), REFUSED.OBJ) },
  { name: 'last_name', clean: orElse(text(), REFUSED.OBJ) },
  { name: 'ownership_stake', clean: ownershipStake },
];
const VERIFIED_OWNER: readonly OwnerMember[] = [
  ...OWNER,
  { name: 'email', clean: orElse(email, REFUSED.MAIL), isOptional: true },
  { name: 'phone_number', clean: orElse(phoneNumber, REFUSED.TEL), isOptional: true },
];

/** A list of owners with the listed members, others dropped. */
function ownerList(members: readonly OwnerMember[]): Cleaner {
  const named = members.map(({ name, isOptional }) => (isOptional ? `${name}?` : name)).join(', ');
  const words = `a list of {${named}}; other members are dropped`;
  return inWords(words, (value: JsonValue, situation: CleaningContext) => {
    if (!Array.isArray(value) || !value.every(isJsonObject)) return REFUSED.OBJ;
    const owners = value.map((): Record<string, JsonValue> => ({}));
    for (const { name, clean, isOptional } of members) {
      for (const [i, owner] of owners.entries()) {
        const member = value[i]?.[name] ?? null;
        if (member === null && isOptional) continue;
        const cleaned = clean(member, situation);
        if (cleaned instanceof Refusal) return cleaned;
        owner[name] = cleaned;
      }
    }
    return owners;
  });
}

/** `business.*` (contract §1.9). */
export const businessTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'business', kinds: ['business'], storage: 'text' },
  {
    ...each(['name', 'dba', 'address_line1', 'address_line2', 'city'], { clean: text(), mask: shown }),
    state: { clean: state, mask: shown },
    zip: { clean: zip, mask: shown },
    country: { clean: country, mask: shown },
    tin: { clean: digits({ min: 9, max: 9, separated: true }), mask: lastFour },
    website: { clean: webAddress, mask: shown },
    phone_number: { clean: phoneNumber, mask: lastFour },
    corporation_type: {
      clean: oneOf(wordsOf('business.corporation_type')),
      mask: shown,
    },
    formation_state: { clean: usState, mask: shown },
    formation_date: { clean: date, mask: shown },
    beneficial_owner_explanation_message: { clean: text(), mask: shape },
    beneficial_owners: { storage: 'json', clean: ownerList(OWNER), mask: shape },
    kyced_beneficial_owners: { storage: 'json', clean: ownerList(VERIFIED_OWNER), mask: shape },
  },
);

/** Fields after `business.beneficial_owners.<alias>.`. */
export const beneficialOwnerTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'business', kinds: ['business'], storage: 'text' },
  {
    ownership_stake: { storage: 'json', clean: ownershipStake, mask: shown },
    ...each(['id.first_name', 'id.last_name'], { clean: text(), mask: firstCharacter }),
    'id.email': { clean: email, mask: domainOnly },
    'id.phone_number': { clean: phoneNumber, mask: lastFour },
  },
);
