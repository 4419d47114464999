import { REFUSED, vaultDataNotValid } from './refusals.ts';
import type { Refusal } from './refusals.ts';
import { findIdentifier, getIdentifier } from './registry.ts';
import type { EntityKind, Identifier } from './rule.ts';

/** How to store an upload: as a file under its canonical name, or as an ordinary value. */
export type UploadPlan =
  | { readonly as: 'file'; readonly identifier: string }
  /** `json`: the text is a JSON list, or one element of it. */
  | { readonly as: 'text' | 'json'; readonly identifier: string };

/**
 * Plans an upload to this identifier, before any of it is read (contract §2.7). Throws `invalid_request` for an unknown
 * identifier, and `T120` for one that accepts no upload or not this content type.
 */
export function planUpload(request: {
  kind: EntityKind;
  identifier: string;
  contentType: string;
}): UploadPlan {
  const identifier = getIdentifier(request.identifier);
  const refusal = refusalOf(identifier, request);
  if (refusal) throw vaultDataNotValid(new Map([[request.identifier, refusal]]));
  if (takesFiles(identifier)) return { as: 'file', identifier: identifier.canonical };
  return { as: identifier.storage === 'json' ? 'json' : 'text', identifier: identifier.name };
}

function refusalOf(
  identifier: Identifier,
  { kind, contentType }: { kind: EntityKind; contentType: string },
): Refusal | undefined {
  if (!identifier.belongsTo(kind)) return REFUSED.FAM;
  if (identifier.derived) return REFUSED.DRV;
  return identifier.acceptsContentType(contentType) ? undefined : REFUSED.MIME;
}

function takesFiles({ storage, family }: Identifier): boolean {
  return storage === 'file' || family === 'custom';
}

/** Whether the value of this canonical name can be a file. */
export function mayBeFile(name: string): boolean {
  const identifier = findIdentifier(name);
  return identifier !== undefined && takesFiles(identifier);
}
