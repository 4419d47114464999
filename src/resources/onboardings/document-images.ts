/** Front images of documents, as onboardings ask for them (contract §4.1, §4.4). */

const STEP_UP_KINDS = [
  'id_card',
  'drivers_license',
  'passport',
  'passport_card',
  'permit',
  'visa',
  'residence_document',
  'voter_identification',
] as const;

const frontImageOf = (kind: string): string => `document.${kind}.front.image`;

/** Any one of them satisfies a document playbook. */
export const FRONT_IMAGES: readonly string[] = [...STEP_UP_KINDS, 'ssn_card', 'proof_of_address'].map(
  frontImageOf,
);

/** Those that end a step-up: a card of social security or a proof of address doesn't. */
const STEP_UP_IMAGES: ReadonlySet<string> = new Set(STEP_UP_KINDS.map(frontImageOf));

/** By its canonical name. */
export function endsStepUp(identifier: string): boolean {
  return STEP_UP_IMAGES.has(identifier);
}
