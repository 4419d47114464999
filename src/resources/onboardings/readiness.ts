/** Whether an entity has what a playbook asks for (contract §4.2, A53). Pure. */
import type { PlaybookKind } from '../../contract/shapes.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { FRONT_IMAGES } from './document-images.ts';

type Group = readonly string[];

/** Throws `T121` naming each group of which nothing is there; `isPresent` knows derived identifiers and aliases. */
export function requireRequirements(
  playbook: { readonly kind: PlaybookKind; readonly requirements: readonly Group[] },
  isPresent: (identifiers: Group) => boolean,
): void {
  const groups =
    playbook.kind === 'document' ? [...playbook.requirements, FRONT_IMAGES] : playbook.requirements;
  const unmet = groups.filter((group) => !isPresent(group));
  if (unmet.length === 0) return;
  throw new ServiceError('T121', `The playbook asks for more: ${unmet.map(groupName).join('; ')}`, {
    context: Object.fromEntries(
      unmet.flatMap(([first]) => (first === undefined ? [] : [[first, 'required by the playbook']])),
    ),
  });
}

/** Throws `invalid_request` for an address that is known not to be in the United States. */
export function requireDomestic(country: string | undefined): void {
  if (country === undefined || country === 'US') return;
  throw new ServiceError('invalid_request', 'Identifier id.country must be US: kyc takes US addresses only');
}

function groupName(group: Group): string {
  return group.length > 1 ? `one of ${group.join(', ')}` : group.join();
}
