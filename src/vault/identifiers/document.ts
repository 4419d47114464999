import { DOCUMENT_KINDS, DOCUMENT_SIDES } from '../../nouns/vault/facts.ts';
import { country, date } from './format-rules.ts';
import {
  firstCharacter,
  lastFour,
  mediaTypeOnly,
  shape,
  shown,
  yearOnly,
  REFUSED,
  derivedRow,
  each,
  familyTable,
  inWords,
  type Cleaner,
  type IdentifierRule,
  type RuleShorthand,
} from './rule.ts';
import { shortText } from './text-rules.ts';

export { DOCUMENT_KINDS };
/** Kinds with one page: `document.<kind>.image` is an alias of the front image. */
export const ONE_PAGE_KINDS: ReadonlySet<string> = new Set(['ssn_card', 'proof_of_address']);

/** Can't be written as JSON. `types` describes what the row `accepts`. */
const uploadOnly = (types: string): Cleaner => inWords(`a file, by upload: ${types}`, () => REFUSED.UPL);

function isImageOrUntyped(mediaType: string): boolean {
  return (
    mediaType.startsWith('image/') ||
    mediaType === 'application/pdf' ||
    mediaType === 'application/octet-stream'
  );
}

const image: RuleShorthand = {
  storage: 'file',
  clean: uploadOnly('image/*, application/pdf or application/octet-stream'),
  mask: shape,
  accepts: isImageOrUntyped,
};

function sideRows(side: string): [field: string, row: RuleShorthand][] {
  const source = `${side}.image`;
  return [
    [source, image],
    [`${side}.mime_type`, derivedRow(mediaTypeOnly, { from: [source], contentTypeOf: true })],
  ];
}

const frontImageAlias: RuleShorthand = {
  ...image,
  aliasOf: 'front.image',
  origins: [{ from: ['front.image'] }],
};

const READ_FROM_DOCUMENT = [
  'full_name',
  'first_name',
  'last_name',
  'gender',
  'full_address',
  'address_line1',
  'city',
  'state',
  'postal_code',
  'issuing_state',
  'us_issuing_state',
  'ref_number',
  'curp',
  'clave_de_elector',
  'classified_document_type',
  'curp_validation_response',
];

function kindTable(ownRows: Readonly<Record<string, RuleShorthand>>): ReadonlyMap<string, IdentifierRule> {
  return familyTable(
    { family: 'document', kinds: ['user'], storage: 'text' },
    {
      ...Object.fromEntries(DOCUMENT_SIDES.flatMap(sideRows)),
      ...ownRows,
      ...each(READ_FROM_DOCUMENT, { clean: shortText, mask: firstCharacter }),
      document_number: { clean: shortText, mask: lastFour },
      ...each(['dob', 'expires_at', 'issued_at'], { clean: date, mask: yearOnly }),
      ...each(['issuing_country', 'nationality'], { clean: country, mask: shown }),
    },
  );
}

// Two tables for the ten kinds, since every start has to build them.
const onePageTable = kindTable({ image: frontImageAlias });
const twoPageTable = kindTable({});

/** Fields after `document.<kind>.` (contract §1.6). */
export function documentKindTable(kind: string): ReadonlyMap<string, IdentifierRule> {
  return ONE_PAGE_KINDS.has(kind) ? onePageTable : twoPageTable;
}

/** Fields right after `document.`. */
export const documentTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'document', kinds: ['user'], storage: 'file' },
  {
    finra_compliance_letter: {
      clean: uploadOnly('application/pdf'),
      mask: shape,
      accepts: (mediaType) => mediaType === 'application/pdf',
    },
  },
);

/** `document.custom.<alias>`, the only documents of a business vault; the alias follows the rule of a custom suffix. */
export const customDocumentTable: ReadonlyMap<string, IdentifierRule> = familyTable(
  { family: 'document', kinds: ['user', 'business'], storage: 'file' },
  { '*': { clean: uploadOnly('any content type'), mask: shape } },
);
