/** Front images of documents, as required by onboardings (contract §4.1, §4.4). */
import { DOCUMENT_KINDS, ONE_PAGE_KINDS } from '../../vault/identifiers/index.ts';

const frontImageOf = (kind: string): string => `document.${kind}.front.image`;

/** Any one of them satisfies a document playbook. */
export const FRONT_IMAGES: readonly string[] = DOCUMENT_KINDS.map(frontImageOf);

/** The images that end a step-up; a page with only a number or an address proves no identity. */
const STEP_UP_IMAGES: ReadonlySet<string> = new Set(
  DOCUMENT_KINDS.filter((kind) => !ONE_PAGE_KINDS.has(kind)).map(frontImageOf),
);

/** By its canonical name. */
export function endsStepUp(identifier: string): boolean {
  return STEP_UP_IMAGES.has(identifier);
}
