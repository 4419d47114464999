/**
 * What a write of a vault may name (contract §0.8, §1), for the document: identifiers with a fixed name are properties,
 * with their types. One pattern of `propertyNames` names all, also those with a part that the caller chooses. It isn't
 * `patternProperties`, which generators turn into a member of any name: no compiler finds a misspelt identifier then.
 */
import type { EntityKind } from './facts/entities.ts';
import { identifierCatalogue, namePattern, type IdentifierEntry } from '../vault/identifiers/catalogue.ts';
import type { JsonSchema } from './json-schema.ts';

/** The schema of a create, an update or a check of a vault of this kind. */
export function vaultDataSchema(kind: EntityKind): JsonSchema {
  const entries = identifierCatalogue().filter(({ vaults, derived }) => !derived && vaults.includes(kind));
  const fixed = entries.filter(({ identifier, storage }) => !identifier.includes('<') && storage !== 'file');
  const families =
    kind === 'user' ? 'card.*, bank.*, document.* and custom.*' : 'custom.* and those of an owner';
  return {
    type: 'object',
    description:
      'Data identifiers and values. In an update null deletes, and what is left out stays; a create ignores null. ' +
      `Identifiers with a name of yours (${families}) are allowed, too: the pattern has them`,
    properties: Object.fromEntries(fixed.map((entry) => [entry.identifier, valueSchema(entry)])),
    propertyNames: { pattern: namePattern(entries) },
  };
}

function valueSchema({ example, rule }: IdentifierEntry): JsonSchema {
  return {
    type: [Array.isArray(example) ? 'array' : 'string', 'null'],
    ...(Array.isArray(example) && { items: { type: typeof example[0] } }),
    description: rule,
    examples: [example],
  };
}
