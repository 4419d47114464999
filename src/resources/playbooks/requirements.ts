/** The identifiers that a playbook may require (contract §4.1). */
import type { PlaybookKind } from '../../contract/facts/onboardings.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { describeIdentifier, requireKnownIdentifiers } from '../../vault/identifiers/index.ts';

/**
 * The groups without duplicate identifiers. Throws `invalid_request` naming an identifier that is unknown, or that no
 * entity of this kind of playbook can have.
 */
export function readRequirements(groups: readonly (readonly string[])[], kind: PlaybookKind): string[][] {
  const who = kind === 'kyb' ? 'business' : 'user';
  return groups.map((group) => {
    requireKnownIdentifiers(group);
    const foreign = group.find((identifier) => !describeIdentifier(identifier)?.belongsTo(who));
    if (foreign !== undefined) {
      throw new ServiceError('invalid_request', `requirements: a ${who} has no ${foreign}`);
    }
    return [...new Set(group)];
  });
}
