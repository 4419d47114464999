/** The descriptor of a file, which the vault seals: compact JSON in a canonical form. */
import { ServiceError } from '../../kernel/errors.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { isBlobName } from '../../storage/blobs.ts';
import { KEY_BYTES } from '../envelope.ts';
import { StoredFile } from './stored-file.ts';

const SHA256_HEX = /^[0-9a-f]{64}$/;

/** Encodes the descriptor of a file; the key is in base64. */
export function encodeFile(file: StoredFile): Uint8Array {
  const { blob, contentType, bytes, sha256 } = file;
  const key = Buffer.from(file.key).toString('base64');
  return Buffer.from(JSON.stringify({ blob, key, contentType, bytes, sha256 }), 'utf8');
}

/** Decodes a descriptor. Throws `vault_damaged` for anything that `encodeFile` wouldn't have written. */
export function decodeFile(encoded: Uint8Array): StoredFile {
  const file = fileOf(parsed(encoded));
  // Rejects anything not in canonical form: another order, an extra member, a blank, another spelling of the key.
  if (!file || Buffer.compare(encodeFile(file), encoded) !== 0) throw damagedDescriptor();
  return file;
}

/** Drops the parser's error, which would quote the text, and so the key. */
function parsed(encoded: Uint8Array): JsonValue {
  try {
    return JSON.parse(Buffer.from(encoded).toString('utf8')) as JsonValue;
  } catch {
    throw damagedDescriptor();
  }
}

function fileOf(members: JsonValue): StoredFile | undefined {
  if (!isJsonObject(members)) return undefined;
  const { blob, key, contentType, bytes, sha256 } = members;
  if (typeof blob !== 'string' || !isBlobName(blob)) return undefined;
  if (typeof key !== 'string' || typeof contentType !== 'string') return undefined;
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) return undefined;
  if (typeof sha256 !== 'string' || !SHA256_HEX.test(sha256)) return undefined;
  const keyBytes = Uint8Array.from(Buffer.from(key, 'base64'));
  if (keyBytes.length !== KEY_BYTES) return undefined;
  return new StoredFile({ blob, key: keyBytes, contentType, bytes, sha256 });
}

function damagedDescriptor(): ServiceError {
  return new ServiceError('vault_damaged', 'The descriptor of a file is damaged');
}
