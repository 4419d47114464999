/** Words of vault values, documents and calls of the vault proxy (contract §0.8, §3, §5). */

/** The forms in which a value is stored. */
export const VALUE_KINDS = ['text', 'json', 'file'] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

/** By which way values of a vault were changed. */
export const CHANGE_SOURCES = ['api', 'ingress'] as const;
export type ChangeSource = (typeof CHANGE_SOURCES)[number];

/** What comes of a value that somebody says. */
export const VERIFICATION_RESULTS = ['match', 'no_match', 'nothing_to_compare'] as const;
/** The longest saying, in characters. */
export const SAYING_LIMIT = 1_000;
/** What comes of a field of two entities; `unknown` where only one of both has it. */
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

/** How a body that may be no text is shown. */
export const BODY_ENCODINGS = ['utf8', 'base64'] as const;
export type BodyEncoding = (typeof BODY_ENCODINGS)[number];

/** What of a chain was pinned. */
export const PINNED = ['leaf', 'ca'] as const;
export type Pinned = (typeof PINNED)[number];

/** The content types that ingress reads; both words mean the same. */
export const INGRESS_TYPES = ['json', 'application/json'] as const;
export type IngressType = (typeof INGRESS_TYPES)[number];

/** The families of data identifiers; the ones that are asked for most stand first. */
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
