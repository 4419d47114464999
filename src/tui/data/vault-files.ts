/** Downloads files of a vault, with a reason. Each download is an entry in the access log. */
import { readInspection } from '../../client/inspection.ts';
import type { Source } from './source.ts';
import type { Subject } from '../state/model.ts';
import { imageTypeOf } from './images.ts';
import { entityEndpoint } from '../../client/entity-endpoint.ts';

export type VaultFileField = Extract<Subject, { kind: 'field' }>;

/** Must be read to its end or ended with `abandon`. Otherwise the connection stays occupied. */
export interface VaultFile {
  readonly contentType: string;
  /** Undefined if the daemon doesn't say. */
  readonly bytes: number | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}

/** The shortest lifetime that the daemon grants; the token is used at once. */
const TOKEN_TTL_SECONDS = 60;
const VERSIONED = /:\d+$/;

/** The value of a field; null if there is none. */
export async function decrypt(source: Source, field: VaultFileField, reason: string): Promise<unknown> {
  const [value] = await decryptAll(source, [field], reason);
  return value;
}

/** The values of several fields of one entity, in order. Makes one call, and one entry in the access log. */
export async function decryptAll(
  { client }: Source,
  fields: readonly [VaultFileField, ...VaultFileField[]],
  reason: string,
): Promise<readonly unknown[]> {
  const body = { fields: fields.map(({ identifier }) => identifier), reason };
  const { key, params } = entityEndpoint('POST /{entity}/vault/decrypt', fields[0].fp_id);
  const values: Readonly<Record<string, unknown>> = await client.call(key, { params, body });
  return fields.map(({ identifier }) => values[identifier] ?? null);
}

/** The masked view of a file: `<image/png 68 bytes>`. */
const FILE_MASK = /^<(\S+) (\d+) bytes>$/;

/**
 * Describes a file from the masked view, without decryption. Undefined for an earlier version, and if there is no
 * file.
 */
export async function describeFile(
  { client, space }: Source,
  { fp_id, identifier }: VaultFileField,
): Promise<{ readonly contentType: string; readonly bytes: number } | undefined> {
  const { vault } = await readInspection(client, fp_id, space);
  const mask = vault.find((entry) => entry.identifier === identifier)?.mask;
  const [, contentType = '', bytes = ''] = FILE_MASK.exec(mask ?? '') ?? [];
  return contentType === '' ? undefined : { contentType, bytes: Number(bytes) };
}

/** Undefined if there is no file. Throws what the client throws. */
export async function openFile(
  source: Source,
  field: VaultFileField,
  reason: string,
): Promise<VaultFile | undefined> {
  if (VERSIONED.test(field.identifier)) return await earlierFile(source, field, reason);
  const { client } = source;
  const { fp_id, identifier } = field;
  const body = {
    scope: 'decrypt_download' as const,
    fields: [identifier],
    ttl: TOKEN_TTL_SECONDS,
    decrypt_reason: reason,
  };
  const { key, params } = entityEndpoint('POST /{entity}/client_token', fp_id);
  const { token } = await client.call(key, { params, body });
  return await client.download(token);
}

/**
 * Tokens give access to the current version only. An earlier version is decrypted as base64, and its type is read
 * from its bytes.
 */
async function earlierFile(
  source: Source,
  field: VaultFileField,
  reason: string,
): Promise<VaultFile | undefined> {
  const value = await decrypt(source, field, reason);
  if (typeof value !== 'string') return undefined;
  const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0));
  return {
    contentType: imageTypeOf(bytes) ?? 'application/octet-stream',
    bytes: bytes.length,
    // eslint-disable-next-line @typescript-eslint/require-await -- as one that comes over the wire
    content: (async function* () {
      yield bytes;
    })(),
  };
}

/** Ends an unwanted download. */
export async function abandon({ content }: VaultFile): Promise<void> {
  for await (const _ of content) return;
}

/** All bytes; undefined if there are more than `limit`. */
export async function wholeFile(file: VaultFile, limit: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of file.content) {
    length += chunk.length;
    if (length > limit) return undefined;
    chunks.push(chunk);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** The default file name: the entity and the identifier. The extension is added with the type. */
export function ownName({
  fp_id,
  identifier,
}: {
  readonly fp_id: string;
  readonly identifier: string;
}): string {
  return `${fp_id}.${identifier.replace(':', '.v')}`;
}

/** The problem with a path, as far as the path alone shows it. */
export function pathProblem(text: string): string | undefined {
  if (/[/\\]$/.test(text)) return 'Name a file, not a folder';
  if (/[\u0000-\u001f\u007f]/.test(text)) return 'A name has no control characters';
  return undefined;
}
