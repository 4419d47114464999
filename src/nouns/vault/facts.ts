/** Words of vault values, documents and calls of the vault proxy (contract §0.8, §3, §5). */

/** The forms in which a value is stored. */
export const VALUE_KINDS = ['text', 'json', 'file'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** The ways in which values of a vault are changed. */
export const CHANGE_SOURCES = ['api', 'ingress'] as const;
export type ChangeSource = (typeof CHANGE_SOURCES)[number];

/** Results of the check of a stated value; `unreadable` if no value of the field can be meant by it. */
export const VERIFICATION_RESULTS = ['match', 'no_match', 'unreadable', 'nothing_to_compare'] as const;
export type VerificationResult = (typeof VERIFICATION_RESULTS)[number];
/** How many values one request checks at most. */
export const STATED_VALUES_LIMIT = 20;
/** The longest stated value, in characters. */
export const STATED_VALUE_LIMIT = 1_000;
/** Results of comparing a field of two entities; `unknown` if only one of them has it. */
export const COMPARISON_RESULTS = ['same', 'different', 'unknown'] as const;

/** The kinds of `document.<kind>`. */
export const DOCUMENT_KINDS = [
  'id_card',
  'drivers_license',
  'passport',
  'passport_card',
  'permit',
  'visa',
  'residence_document',
  'voter_identification',
  'ssn_card',
  'proof_of_address',
] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];
export const DOCUMENT_TYPES = [...DOCUMENT_KINDS, 'selfie', 'custom'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];
/** The images that a document may have. */
export const DOCUMENT_SIDES = ['front', 'back', 'selfie'] as const;
export type DocumentSide = (typeof DOCUMENT_SIDES)[number];

/** How a body is shown that may not be text. */
export const BODY_ENCODINGS = ['utf8', 'base64'] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

/** The part of a chain that was pinned. */
export const PINNED = ['leaf', 'ca'] as const;
export type Pinned = (typeof PINNED)[number];

/** The content types for ingress; both words mean the same. */
export const INGRESS_TYPES = ['json', 'application/json'] as const;
export type IngressType = (typeof INGRESS_TYPES)[number];

/** The families of data identifiers; the most common first. */
export const IDENTIFIER_FAMILIES = [
  'id',
  'business',
  'document',
  'card',
  'bank',
  'investor_profile',
  'custom',
] as const;
export type IdentifierFamily = (typeof IDENTIFIER_FAMILIES)[number];
