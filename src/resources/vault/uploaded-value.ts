import { parseJson } from '../../kernel/exact-number.ts';
import { VAULT_BODY_LIMIT_BYTES } from '../../contract/facts/limits.ts';
import type { Upload } from '../../contract/shapes.ts';
import { jsonTextOf, type JsonValue } from '../../kernel/json.ts';
import { REFUSED, vaultDataNotValid } from '../../vault/identifiers/index.ts';

/**
 * The value of an upload under an identifier that is no file: its bytes as UTF-8 text or, for a list identifier, parsed
 * as JSON (contract §2.7). More than the largest value is `T120` LEN, and the rest is discarded.
 */
export async function uploadedValue(
  upload: Upload,
  { identifier, as }: { identifier: string; as: 'text' | 'json' },
): Promise<JsonValue> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of upload.content) {
    bytes += chunk.length;
    if (bytes <= VAULT_BODY_LIMIT_BYTES) kept.push(Buffer.from(chunk));
  }
  if (bytes > VAULT_BODY_LIMIT_BYTES) throw vaultDataNotValid(new Map([[identifier, REFUSED.LEN]]));
  const body = Buffer.concat(kept);
  const text = jsonTextOf(body);
  if (text === undefined) throw vaultDataNotValid(new Map([[identifier, REFUSED.STR]]));
  return as === 'json' ? (jsonOf(text) ?? text) : text;
}

/** Undefined for invalid JSON, and for null, which would be a deletion. */
function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseJson(text) ?? undefined;
  } catch {
    return undefined;
  }
}
