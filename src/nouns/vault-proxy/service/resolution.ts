/**
 * Resolves tokens to values: checks permissions and presence, writes the access log, and applies transforms. No value
 * is released before the log has every datum that was read (contract §3.3).
 */
import { jsonText, type JsonValue } from '../../../kernel/text/json.ts';
import type { Held } from '../../../kernel/numbers/byte-budget.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { StreamedText } from '../../../kernel/text/streamed-text.ts';
import { MIB } from '../../../kernel/numbers/units.ts';
import type { Database } from '../../../storage/database.ts';
import { accessEntry, type AccessEntry, denial } from '../../../vault/access-entry.ts';
import { StoredFile } from '../../../vault/files/index.ts';
import { maskFile, maskValue } from '../../../vault/identifiers/index.ts';
import type { TransformBudget, TransformInput, TransformName } from '../../../vault/transforms/index.ts';
import type { StoredValue, Vault } from '../../../vault/vault.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { findEntity, getEntity, type EntityRow } from '../../entities/service/index.ts';
import { readFiles, revealInTurns, transformed } from '../../vault/service/index.ts';
import type { Explanation } from './explanation.ts';
import type { ProxyToken } from './proxy-template.ts';
import type { Needs } from '../../needs.ts';

// What may be shown of a token's value before and after its transforms.

/**
 * Transforms whose masked result reveals no more than the masked value. Not `to_ascii`, which drops characters and so
 * moves others to the first or the last place, which masks show.
 */
const KEEPS_ITS_SHAPE: ReadonlySet<TransformName> = new Set(['to_lowercase', 'to_uppercase']);
/** Transforms whose result reveals only the length of the value without a key. */
const HIDES_ALL: ReadonlySet<TransformName> = new Set(['hmac_sha256', 'encrypt']);
const HIDDEN = '***';

function maskedInput({ reference }: ProxyToken, value: StoredValue): string {
  return value instanceof StoredFile
    ? maskFile(value.contentType, value.bytes)
    : maskValue(reference.identifier, value);
}

/**
 * `output` undefined: the value was not transformed, since no reason was given. Parts of a value are never shown, since
 * prefixes of several lengths would together reveal all of it.
 */
function maskedOutput(token: ProxyToken, value: StoredValue, output?: string): string {
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
function unlessShown(mask: string, value: StoredValue): string {
  const text = typeof value === 'string' ? value : jsonText(value);
  return value instanceof StoredFile || mask !== text ? mask : HIDDEN;
}

/** More than any target accepts: a hundred tokens could each be a file of ten MiB. */
export const SENT_LIMIT_BYTES = 64 * MIB;

export function bodyTooLarge(): ServiceError {
  const limit = `${SENT_LIMIT_BYTES / MIB} MiB`;
  return new ServiceError(
    'payload_too_large',
    `The files of the tokens, or the body with the values in it, are over ${limit}; nothing was sent`,
  );
}

/** Values are shown to the caller only with a reason. */
export function reasonMissing(): ServiceError {
  return new ServiceError('reason_required', 'Showing values needs a reason, in header x-fp-access-reason');
}

/** The caller for whom tokens are resolved, and the operation for the access log. */
export interface TokenReading {
  readonly caller: Caller;
  readonly requestId: string;
  readonly operator: string | null;
  readonly operation: 'proxy' | 'reflect';
  readonly reason: string;
  readonly explanation: Explanation;
  readonly held: Held;
  readonly budget: TransformBudget;
}

/** A file without transforms is streamed as base64 text. */
export type TokenValue = JsonValue | StreamedText;

/** The tokens of one entity. */
interface Asked {
  readonly entity: EntityRow;
  readonly tokens: ProxyToken[];
}

/** A token with the stored value of its entity. */
interface Found {
  readonly token: ProxyToken;
  readonly stored: StoredValue;
}

const NAMED_IN_MESSAGE = 20;

export function createResolution(context: Needs<'queue' | 'vault' | 'accessLog' | 'clock'>) {
  const { queue, vault, accessLog, clock } = context;

  function logAll(
    asked: readonly Asked[],
    reading: TokenReading,
    outcome: AccessEntry['outcome'],
  ): Promise<void> {
    const { operation } = reading;
    const reason = operation === 'reflect' && reading.reason === '' ? null : reading.reason;
    return queue.write((database) => {
      for (const { entity, tokens } of asked) {
        const identifiers = unique(tokens.map(({ reference }) => reference.text));
        const entry = { at: clock.now(), operation, identifiers, outcome, reason };
        accessLog.append(database, accessEntry(reading, entity, entry));
      }
    });
  }

  /**
   * Throws `permission_denied` or `reason_required` after the access log entry. A call to a target needs no reason
   * (contract §3.3).
   */
  async function requirePermitted(
    asked: readonly Asked[],
    reading: TokenReading,
    isMasked: boolean,
  ): Promise<void> {
    const identifiers = asked.flatMap(({ tokens }) => tokens.map(({ reference }) => reference.identifier));
    const lacksReason = !isMasked && reading.operation === 'reflect' && reading.reason === '';
    const refusal =
      denial(reading.caller, 'decrypt', unique(identifiers)) ?? (lacksReason ? reasonMissing() : undefined);
    if (!refusal) return;
    await logAll(asked, reading, 'refused');
    throw refusal;
  }

  /** The stored values of each token, in order. Throws `proxy_token_unresolved`. */
  async function find(
    tokens: readonly ProxyToken[],
    reading: TokenReading,
    { isMasked = false } = {},
  ): Promise<Found[]> {
    const noteAll = (isFound: false | null) => {
      for (const note of reading.explanation.tokens) note.found = isFound;
    };
    // Those of an unknown entity aren't found; without the permission nothing is looked up.
    noteAll(false);
    const asked = askedOf(queue.database, tokens, reading.caller);
    noteAll(null);
    await requirePermitted(asked, reading, isMasked);
    noteAll(false);
    const found = new Map<ProxyToken, StoredValue | undefined>();
    for (const { entity, tokens: own } of asked) {
      const references = own.map(({ reference }) => reference);
      const stored = await revealInTurns(vault, queue.database, {
        entity,
        references,
        version: entity.vault_version,
        requireEntity: () => void getEntity(queue.database, entity, entity.fp_id),
        held: reading.held,
      });
      for (const token of own) found.set(token, stored.get(token.reference.text));
    }
    for (const [index, token] of tokens.entries()) {
      const stored = found.get(token);
      const note = reading.explanation.tokens[index];
      if (!note || stored === undefined) continue;
      note.found = true;
      note.input_masked = maskedInput(token, stored);
    }
    requireAll(tokens, (token) => found.get(token) !== undefined);
    return tokens.map((token) => ({ token, stored: found.get(token) as StoredValue }));
  }

  /** A file that was deleted or purged while it was read is missing, not damaged; a second read distinguishes this. */
  async function read(
    tokens: readonly ProxyToken[],
    reading: TokenReading,
  ): Promise<{ found: Found[]; inputs: Inputs }> {
    const found = await find(tokens, reading);
    requireHoldable(found);
    try {
      return { found, inputs: await inputsOf(vault, found, reading) };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'vault_damaged') throw error;
      const again = await find(tokens, reading);
      return { found: again, inputs: await inputsOf(vault, again, reading) };
    }
  }

  return {
    /**
     * The value of each token, in order; files as base64 text. Throws `proxy_token_unresolved`, `permission_denied`,
     * `reason_required` and `transform_failed`, whose messages name the tokens, and `payload_too_large` as soon as the
     * values exceed the limit.
     */
    async values(tokens: readonly ProxyToken[], reading: TokenReading): Promise<TokenValue[]> {
      if (tokens.length === 0) return [];
      const { found, inputs } = await read(tokens, reading);
      await logAll(askedOf(queue.database, tokens, reading.caller), reading, 'granted');
      let bytes = 0;
      const asked = found.map(({ token }) => {
        return { name: token.name, input: inputs.get(datumOf(token)), transforms: token.transforms };
      });
      // A short chain can enlarge its input, so the limit is checked along the way.
      const values = await transformed(asked, reading.budget, (value) => {
        bytes += sizeOf(value);
        if (bytes > SENT_LIMIT_BYTES) throw bodyTooLarge();
      });
      for (const [index, { token, stored }] of found.entries()) {
        const note = reading.explanation.tokens[index];
        const value = values[index];
        const output = typeof value === 'string' ? value : undefined;
        if (note) note.output_masked = maskedOutput(token, stored, output);
      }
      return values;
    },

    /** A mask for each value, by the same rules except those of transforms; nothing is read or logged. */
    async masks(tokens: readonly ProxyToken[], reading: Omit<TokenReading, 'reason'>): Promise<string[]> {
      const found = await find(tokens, { ...reading, reason: '' }, { isMasked: true });
      return found.map(({ token, stored }, index) => {
        const mask = unlessShown(maskedOutput(token, stored), stored);
        const note = reading.explanation.tokens[index];
        if (note) {
          note.input_masked = unlessShown(maskedInput(token, stored), stored);
          note.output_masked = mask;
        }
        // Keeps the quotes that a value would have, so that a JSON template stays JSON.
        return token.transforms.at(-1)?.name === 'wrap_quotes' ? `"${mask}"` : mask;
      });
    },
  };
}

/** Tokens by entity. Throws `proxy_token_unresolved` when the caller has no such entity. */
function askedOf(database: Database, tokens: readonly ProxyToken[], caller: Caller): Asked[] {
  const asked = new Map<string, Asked | undefined>();
  for (const token of tokens) {
    const { fpId } = token;
    const known = asked.get(fpId);
    if (known) known.tokens.push(token);
    else if (!asked.has(fpId)) {
      const entity = findEntity(database, caller, fpId);
      asked.set(fpId, entity && { entity, tokens: [token] });
    }
  }
  requireAll(tokens, ({ fpId }) => asked.get(fpId) !== undefined);
  return [...asked.values()].filter((each) => each !== undefined);
}

function requireAll(tokens: readonly ProxyToken[], isThere: (token: ProxyToken) => boolean): void {
  const absent = unique(tokens.filter((token) => !isThere(token)).map(({ name }) => name));
  if (absent.length === 0) return;
  const context = Object.fromEntries(absent.map((name) => [name, 'absent']));
  const names = absent.slice(0, NAMED_IN_MESSAGE).join(', ');
  throw new ServiceError('proxy_token_unresolved', `Nothing is stored under ${names}`, { context });
}

/** Before a file is read: checks the memory for files, and the amount to send or to transform. */
function requireHoldable(found: readonly Found[]): void {
  const held = new Map<string, number>();
  let sent = 0;
  for (const { token, stored } of found) {
    if (!(stored instanceof StoredFile)) continue;
    held.set(datumOf(token), stored.bytes);
    // A transform that shortens its input is still work.
    sent += token.transforms.length === 0 ? Math.ceil(stored.bytes / 3) * 4 : stored.bytes;
  }
  let bytes = 0;
  for (const each of held.values()) bytes += each;
  if (bytes > SENT_LIMIT_BYTES || sent > SENT_LIMIT_BYTES) throw bodyTooLarge();
}

type Inputs = ReadonlyMap<string, TransformInput | StreamedText>;

/** Each datum once for all tokens that name it; a file without transforms is streamed. */
async function inputsOf(
  vault: Vault,
  found: readonly Found[],
  { held }: Pick<TokenReading, 'held'>,
): Promise<Inputs> {
  const transformed = new Set(
    found.filter(({ token }) => token.transforms.length > 0).map(({ token }) => datumOf(token)),
  );
  const values = new Map(found.map(({ token, stored }) => [datumOf(token), stored]));
  const isStreamed = (datum: string) => !transformed.has(datum);
  return (await readFiles(vault, values, { held, isStreamed })) as Inputs;
}

/** Identifies the datum of a token, without its transforms. */
function datumOf({ fpId, reference }: ProxyToken): string {
  return `${fpId}.${reference.text}`;
}

function sizeOf(value: TokenValue): number {
  if (value instanceof StreamedText) return value.byteLength;
  return Buffer.byteLength(typeof value === 'string' ? value : jsonText(value));
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
