/** Checks whether an entity meets the requirements of a playbook (contract §4.2, A53). Pure. */
import { FLOW_REFUSAL_TEXTS } from '../../../contract/facts/refusals.ts';
import { groupText, type PlaybookKind } from '../facts.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { DOCUMENT_KINDS, ONE_PAGE_KINDS } from '../../../vault/identifiers/index.ts';

// Front images of documents, as required by onboardings (contract §4.1, §4.4).

const frontImageOf = (kind: string): string => `document.${kind}.front.image`;

/** Any one of them satisfies a document playbook. */
export const FRONT_IMAGES: readonly string[] = DOCUMENT_KINDS.map(frontImageOf);

/** The images that end a step-up; a page with only a number or an address proves no identity. */
export const STEP_UP_IMAGES: ReadonlySet<string> = new Set(
  DOCUMENT_KINDS.filter((kind) => !ONE_PAGE_KINDS.has(kind)).map(frontImageOf),
);

type Group = readonly string[];

export interface Asking {
  readonly kind: PlaybookKind;
  readonly requirements: readonly Group[];
}

/** Facts about the entity; `isPresent` covers derived identifiers and aliases. */
export interface EntityFacts {
  /** Whether tax number and state are not required. */
  readonly isAbroad: boolean;
  readonly isPresent: (identifiers: Group) => boolean;
  /** Undefined when it is absent. */
  readonly textOf: (identifier: string) => string | undefined;
}

const LEGAL_STATUS = 'id.us_legal_status';
/** Additional requirements for the holder of a visa, when a playbook requires the legal status. */
const OF_A_VISA: readonly Group[] = [
  ['id.visa_kind'],
  ['id.visa_expiration_date'],
  ['id.nationality'],
  ['id.citizenships'],
];

/** Required for addresses in the United States only. */
export const DOMESTIC: ReadonlySet<string> = new Set([
  'id.ssn4',
  'id.ssn9',
  'id.itin',
  'id.us_tax_id',
  'id.state',
]);

/** The requirements, one group each. */
export function groupsOf(
  { kind, requirements }: Asking,
  { isAbroad, textOf }: EntityFacts,
): readonly Group[] {
  const asksStatus = requirements.some((group) => group.includes(LEGAL_STATUS));
  const isAsked = (group: Group) => !isAbroad || !group.every((identifier) => DOMESTIC.has(identifier));
  return [
    ...requirements.filter(isAsked),
    ...(kind === 'document' ? [FRONT_IMAGES] : []),
    ...(asksStatus && textOf(LEGAL_STATUS) === 'visa' ? OF_A_VISA : []),
  ];
}

/** Throws `T121` naming each group without a value. */
export function requireRequirements(playbook: Asking, known: EntityFacts): void {
  const { isPresent } = known;
  const groups = groupsOf(playbook, known);
  const unmet = groups.filter((group) => !isPresent(group));
  if (unmet.length === 0) return;
  throw new ServiceError('T121', `The playbook asks for more: ${unmet.map(groupText).join('; ')}`, {
    context: Object.fromEntries(
      unmet.flatMap(([first]) => (first === undefined ? [] : [[first, FLOW_REFUSAL_TEXTS.PLAYBOOK]])),
    ),
  });
}

/** Throws `invalid_request` for an address known to be outside the United States. */
export function requireDomestic(country: string | undefined): void {
  if (country === undefined || country === 'US') return;
  throw invalid('Identifier id.country must be US: kyc takes US addresses only');
}
