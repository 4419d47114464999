import type { ValueKind } from '../contract/facts/vault.ts';
import { unlessDamaged } from './changes.ts';
import { StoredFile } from './files/index.ts';
import {
  describeIdentifier,
  maskFile,
  maskValue,
  presentIdentifiers,
  readingOf,
} from './identifiers/index.ts';
import type { VaultReader } from './reader.ts';
import type { NamedValueRow } from './repository.ts';

export interface MaskedValue {
  readonly identifier: string;
  readonly mask: string;
  readonly type: ValueKind;
  readonly version: number;
  /** Epoch milliseconds. */
  readonly updated_at: number;
}

/** Replaces a value that doesn't open; the rest of the list is still usable. */
export const DAMAGED_MASK = '<damaged>';

/** Every present identifier with its mask (contract §1.2), or only those of a given list. */
export function maskedValues(
  stored: readonly NamedValueRow[],
  reader: VaultReader,
  only: readonly string[] | undefined,
): MaskedValue[] {
  const rows = new Map(stored.map((row) => [row.identifier, row]));
  const masked: MaskedValue[] = [];
  for (const identifier of presentIdentifiers(rows.keys())) {
    if (only && !only.includes(identifier)) continue;
    const value = unlessDamaged(() => reader.resolve(identifier));
    const reading = readingOf(identifier, (name) => rows.has(name));
    const sources = (reading?.sources ?? []).flatMap((name) => rows.get(name) ?? []);
    const isFile = value instanceof StoredFile;
    masked.push({
      identifier,
      mask: maskOf(identifier, value),
      type: isFile ? 'file' : (describeIdentifier(identifier)?.storage ?? 'text'),
      version: Math.max(...sources.map((row) => row.version)),
      updated_at: Math.max(...sources.map((row) => row.created_at)),
    });
  }
  return masked;
}

function maskOf(identifier: string, value: ReturnType<VaultReader['resolve']>): string {
  if (value === undefined) return DAMAGED_MASK;
  return value instanceof StoredFile
    ? maskFile(value.contentType, value.bytes)
    : maskValue(identifier, value);
}
