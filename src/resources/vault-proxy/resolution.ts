/**
 * From tokens to values: who may read them, whether they are there, what the access log records, and what their
 * transforms make of them. Nothing is handed out before the log holds every datum that was read (contract §3.3).
 */
import type { Held } from '../../kernel/byte-budget.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { StreamedText } from '../../kernel/streamed-text.ts';
import { MIB } from '../../kernel/units.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { accessEntry, type AccessEntry } from '../../vault/access-entry.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { StoredFile } from '../../vault/files/index.ts';
import {
  applyTransforms,
  TransformFailed,
  type TransformBudget,
  type TransformInput,
} from '../../vault/transforms/index.ts';
import type { StoredValue, Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';
import { findEntity, getEntity, type EntityRow } from '../entities/index.ts';
import { denial, readFiles, revealInTurns } from '../vault/index.ts';
import type { Explanation } from './explanation.ts';
import type { ProxyToken } from './proxy-token.ts';
import { maskedInput, maskedOutput, unlessShown } from './token-masks.ts';

/** Beyond what any target takes: a hundred tokens may each stand for a file of ten MiB. */
export const SENT_LIMIT_BYTES = 64 * MIB;

export function bodyTooLarge(): ServiceError {
  const limit = `${SENT_LIMIT_BYTES / MIB} MiB`;
  return new ServiceError(
    'payload_too_large',
    `The files of the tokens, or the body with the values in it, are over ${limit}; nothing was sent`,
  );
}

/** Values are shown to the caller for a reason only. */
export function reasonMissing(): ServiceError {
  return new ServiceError('reason_required', 'Showing values needs a reason, in header x-fp-access-reason');
}

/** On whose behalf tokens are resolved, and as what the access log knows it. */
export interface Reading {
  readonly caller: Caller;
  readonly requestId: string;
  readonly operator: string | null;
  readonly operation: 'proxy' | 'reflect';
  readonly reason: string;
  readonly explanation: Explanation;
  readonly held: Held;
  readonly budget: TransformBudget;
}

/** A file that isn't transformed streams as base64 text. */
export type TokenValue = JsonValue | StreamedText;

export interface Resolution {
  /**
   * The value of each token, in their order; files as base64 text. Throws `proxy_token_unresolved`,
   * `permission_denied`, `reason_required` and `transform_failed`, whose messages name the tokens, and `payload_too_large` as soon as
   * they are known to be more than is ever sent.
   */
  values(tokens: readonly ProxyToken[], reading: Reading): Promise<TokenValue[]>;
  /** A mask in place of each value, by the same rules but the transforms'; nothing is read out, nothing logged. */
  masks(tokens: readonly ProxyToken[], reading: Omit<Reading, 'reason'>): Promise<string[]>;
}

/** What is asked of one entity. */
interface Asked {
  readonly entity: EntityRow;
  readonly tokens: ProxyToken[];
}

/** A token with what its entity holds under it. */
interface Found {
  readonly token: ProxyToken;
  readonly stored: StoredValue;
}

const NAMED_IN_MESSAGE = 20;

export function createResolution(context: {
  queue: WriteQueue;
  vault: Vault;
  accessLog: AccessLog;
  clock: Clock;
}): Resolution {
  const { queue, vault, accessLog, clock } = context;

  function log(
    database: Database,
    { entity, tokens }: Asked,
    reading: Omit<Reading, 'explanation'>,
    outcome: AccessEntry['outcome'],
  ): void {
    const { operation, reason } = reading;
    const entry = accessEntry(reading, entity, {
      at: clock.now(),
      operation,
      identifiers: unique(tokens.map(({ reference }) => reference.text)),
      outcome,
      reason: operation === 'reflect' && reason === '' ? null : reason,
    });
    accessLog.append(database, entry);
  }

  function logAll(asked: Iterable<Asked>, reading: Reading, outcome: AccessEntry['outcome']): Promise<void> {
    return queue.write((database) => {
      for (const each of asked) log(database, each, reading, outcome);
    });
  }

  /** Throws `permission_denied` once the access log knows of it. */
  async function requirePermitted(asked: readonly Asked[], reading: Reading): Promise<void> {
    const identifiers = asked.flatMap(({ tokens }) => tokens.map(({ reference }) => reference.identifier));
    const refusal = denial(reading.caller, 'decrypt', unique(identifiers));
    if (!refusal) return;
    await logAll(asked, reading, 'refused');
    throw refusal;
  }

  /** Throws `reason_required` once the access log knows of it. A target is sent values without one (contract §3.3). */
  async function requireReason(asked: readonly Asked[], reading: Reading): Promise<void> {
    if (reading.operation !== 'reflect' || reading.reason !== '') return;
    await logAll(asked, reading, 'refused');
    throw reasonMissing();
  }

  /** What is stored under each token, in their order. Throws `proxy_token_unresolved`. */
  async function find(
    tokens: readonly ProxyToken[],
    reading: Reading,
    { isMasked = false } = {},
  ): Promise<Found[]> {
    const asked = askedOf(queue.database, tokens, reading.caller);
    await requirePermitted(asked, reading);
    if (!isMasked) await requireReason(asked, reading);
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

  /**
   * What went while its file was read, by a deletion or a purge, is gone and not damaged: a second reading shows it.
   */
  async function read(
    tokens: readonly ProxyToken[],
    reading: Reading,
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
    async values(tokens, reading) {
      if (tokens.length === 0) return [];
      const { found, inputs } = await read(tokens, reading);
      await logAll(askedOf(queue.database, tokens, reading.caller), reading, 'granted');
      const values = await transformed(found, inputs, reading.budget);
      for (const [index, { token, stored }] of found.entries()) {
        const note = reading.explanation.tokens[index];
        const value = values[index];
        const output = typeof value === 'string' ? value : undefined;
        if (note) note.output_masked = maskedOutput(token, stored, output);
      }
      return values;
    },

    async masks(tokens, reading) {
      const found = await find(tokens, { ...reading, reason: '' }, { isMasked: true });
      return found.map(({ token, stored }, index) => {
        const mask = unlessShown(maskedOutput(token, stored), stored);
        const note = reading.explanation.tokens[index];
        if (note) {
          note.input_masked = unlessShown(maskedInput(token, stored), stored);
          note.output_masked = mask;
        }
        // Quotes that a value would bring along stay, so that a template of JSON remains one.
        return token.transforms.at(-1)?.name === 'wrap_quotes' ? `"${mask}"` : mask;
      });
    },
  };
}

/** Tokens by the entity they name. Throws `proxy_token_unresolved` when the caller sees no such entity. */
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

/** Before a file is read: what is held of them, and what is to be sent or transformed. */
function requireHoldable(found: readonly Found[]): void {
  const held = new Map<string, number>();
  let sent = 0;
  for (const { token, stored } of found) {
    if (!(stored instanceof StoredFile)) continue;
    held.set(datumOf(token), stored.bytes);
    // What a transform makes short is work all the same.
    sent += token.transforms.length === 0 ? Math.ceil(stored.bytes / 3) * 4 : stored.bytes;
  }
  let bytes = 0;
  for (const each of held.values()) bytes += each;
  if (bytes > SENT_LIMIT_BYTES || sent > SENT_LIMIT_BYTES) throw bodyTooLarge();
}

type Inputs = ReadonlyMap<string, TransformInput | StreamedText>;

/** Each datum once for all tokens that name it; a file that none of them transforms streams. */
async function inputsOf(
  vault: Vault,
  found: readonly Found[],
  { held }: Pick<Reading, 'held'>,
): Promise<Inputs> {
  const transformed = new Set(
    found.filter(({ token }) => token.transforms.length > 0).map(({ token }) => datumOf(token)),
  );
  const values = new Map(found.map(({ token, stored }) => [datumOf(token), stored]));
  const isStreamed = (datum: string) => !transformed.has(datum);
  return (await readFiles(vault, values, { held, isStreamed })) as Inputs;
}

/** The datum of a token, whatever its transforms. */
function datumOf({ fpId, reference }: ProxyToken): string {
  return `${fpId}.${reference.text}`;
}

/** All failures are reported at once, as in decrypt. */
async function transformed(
  found: readonly Found[],
  inputs: Inputs,
  budget: TransformBudget,
): Promise<TokenValue[]> {
  const failures = new Map<string, string>();
  const values: TokenValue[] = [];
  let bytes = 0;
  for (const { token } of found) values.push(await valueOf(token));

  async function valueOf(token: ProxyToken): Promise<TokenValue> {
    const input = inputs.get(datumOf(token)) ?? null;
    if (input instanceof StreamedText) {
      bytes += input.byteLength;
      if (bytes > SENT_LIMIT_BYTES) throw bodyTooLarge();
      return input;
    }
    try {
      const value = await applyTransforms(token.transforms, input, budget);
      const sent = value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
      bytes += Buffer.byteLength(typeof sent === 'string' ? sent : JSON.stringify(sent));
      // A short chain makes much of little: not all of it is made before it is too much.
      if (bytes > SENT_LIMIT_BYTES) throw bodyTooLarge();
      return sent;
    } catch (error) {
      if (!(error instanceof TransformFailed)) throw error;
      failures.set(token.name, error.message);
      return null;
    }
  }
  if (failures.size === 0) return values;
  const names = [...failures.keys()].slice(0, NAMED_IN_MESSAGE).join(', ');
  throw new ServiceError('transform_failed', `A transform does not fit the value of ${names}`, {
    context: Object.fromEntries(failures),
  });
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
