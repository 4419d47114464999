import type { ValueKind } from '../nouns/vault/facts.ts';
import { unlessDamaged } from './envelope.ts';
import { StoredFile } from './files/index.ts';
import { describeIdentifier, maskFile, maskValue, readingOf } from './identifiers/index.ts';
import type { VaultReader } from './reader.ts';

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

/** A present identifier with its mask (contract §1.2); undefined when it is absent. */
export function maskedValue(identifier: string, reader: VaultReader): MaskedValue | undefined {
  const reading = readingOf(identifier, (name) => reader.isStored(name));
  if (!reading) return undefined;
  const value = unlessDamaged(() => reader.resolve(identifier));
  const rows = reading.sources.flatMap((name) => reader.rowOf(name) ?? []);
  const isFile = value instanceof StoredFile;
  return {
    identifier,
    mask: maskOf(identifier, value),
    type: isFile ? 'file' : (describeIdentifier(identifier)?.storage ?? 'text'),
    version: Math.max(...rows.map((row) => row.version)),
    updated_at: Math.max(...rows.map((row) => row.created_at)),
  };
}

function maskOf(identifier: string, value: ReturnType<VaultReader['resolve']>): string {
  if (value === undefined) return DAMAGED_MASK;
  return value instanceof StoredFile
    ? maskFile(value.contentType, value.bytes)
    : maskValue(identifier, value);
}
