/** What may be shown of a token's value before and after its transforms. */
import type { TransformName } from '../../vault/transforms/index.ts';
import { maskFile, maskValue } from '../../vault/identifiers/index.ts';
import { StoredFile } from '../../vault/files/index.ts';
import type { StoredValue } from '../../vault/vault.ts';
import type { ProxyToken } from './proxy-token.ts';

/**
 * Transforms whose masked result reveals no more than the masked value. Not `to_ascii`, which drops characters and so
 * moves others to the first or the last place, which masks show.
 */
const KEEPS_ITS_SHAPE: ReadonlySet<TransformName> = new Set(['to_lowercase', 'to_uppercase']);
/** Transforms whose result reveals only the length of the value without a key. */
const HIDES_ALL: ReadonlySet<TransformName> = new Set(['hmac_sha256', 'encrypt']);
const HIDDEN = '***';

export function maskedInput({ reference }: ProxyToken, value: StoredValue): string {
  return value instanceof StoredFile
    ? maskFile(value.contentType, value.bytes)
    : maskValue(reference.identifier, value);
}

/**
 * `output` undefined: the value was not transformed, since no reason was given. Parts of a value are never shown, since
 * prefixes of several lengths would together reveal all of it.
 */
export function maskedOutput(token: ProxyToken, value: StoredValue, output?: string): string {
  const { transforms } = token;
  const last = transforms.at(-1);
  if (last && HIDES_ALL.has(last.name)) return '<hex>';
  if (!transforms.every(({ name }) => KEEPS_ITS_SHAPE.has(name))) return HIDDEN;
  if (transforms.length === 0 || output === undefined || value instanceof StoredFile) {
    return maskedInput(token, value);
  }
  return maskValue(token.reference.identifier, output);
}

/** Some identifiers are unmasked for staff; without a reason these are masked, too. */
export function unlessShown(mask: string, value: StoredValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return value instanceof StoredFile || mask !== text ? mask : HIDDEN;
}
