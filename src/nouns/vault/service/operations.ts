/** The vault of one entity for the API: permissions, reasons, versions and the access log around `Vault`. */
import type { ActorKind } from '../../access-log/facts.ts';
import type { BodyOf } from '../../../contract/endpoint.ts';
import type { Answer } from '../../../contract/handler.ts';
import type { Registry } from '../../../contract/registry.ts';
import type { Upload } from '../../../contract/shapes.ts';
import type { Held } from '../../../kernel/numbers/byte-budget.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import { counted } from '../../../kernel/text/count-text.ts';
import { givenReason } from '../../../kernel/text/text.ts';
import type { Database } from '../../../storage/database.ts';
import {
  accessEntry,
  type Access as LoggedAccess,
  type AccessCall,
  denial,
  type Rights,
} from '../../../vault/access-entry.ts';
import {
  parseIdentifierReference,
  planUpload,
  requireKnownIdentifiers,
  type IdentifierReference,
} from '../../../vault/identifiers/index.ts';
import { parseTransforms, TransformBudget } from '../../../vault/transforms/index.ts';
import { requestedVersion } from '../../../vault/vault.ts';
import { listParameter } from '../../cursor.ts';
import { changesOf, getEntity, skipsLuhn, type EntityRow } from '../../entities/service/index.ts';
import { answer, vaultAnswer } from '../../handlers.ts';
import {
  downloadOf,
  holdsNoFile,
  readFiles,
  type FileDownload,
  revealInTurns,
  transformed,
  untransformed,
  uploadedValue,
  type Revealed,
} from './files.ts';
import { createRemovalInTurns } from './removing-all.ts';
import type { Needs } from '../../needs.ts';

/** The credential that acts on a vault: a key or a client token. */
export interface VaultActor extends Rights {
  readonly kind: ActorKind;
  readonly id: string;
  /** Throws when the credential was revoked during the request, or may not do this any more. */
  requireUnrevoked?(database: Database, act: 'read' | 'write'): void;
}

/** One request about one entity's vault. */
export interface VaultCall {
  readonly entity: EntityRow;
  readonly caller: VaultActor;
  readonly requestId: string;
  readonly operator: string | null;
  readonly held: Held;
}

/** A call that reads a version of the vault. */
interface ReadCall extends VaultCall {
  readonly headers: { readonly 'x-fp-vault-version'?: string };
}

interface WriteCall extends VaultCall {
  readonly headers: Parameters<typeof skipsLuhn>[0];
  /** An identifier map. */
  readonly body: unknown;
}

const NO_CHANGES: ReadonlyMap<string, JsonValue> = new Map();

type Access = Omit<LoggedAccess, 'outcome'>;
type Loose<T> = { readonly [Name in keyof T]: T[Name] | (undefined extends T[Name] ? undefined : never) };
type DecryptBody = Loose<BodyOf<Registry['POST /users/{fp_id}/vault/decrypt']>>;
type DeleteBody = BodyOf<Registry['DELETE /users/{fp_id}/vault']>;
type IntegrityBody = BodyOf<Registry['POST /users/{fp_id}/vault/integrity']>;
type Values<T> = Promise<Answer<Record<string, T>>>;

export type VaultService = ReturnType<typeof createVaultService>;

export function createVaultService(context: Needs<'queue' | 'vault' | 'accessLog' | 'acts' | 'clock'>) {
  const { queue, vault, accessLog, acts, clock } = context;
  const removeInTurns = createRemovalInTurns({ queue, vault, clock });

  function record(call: VaultCall, access: Access, outcome: LoggedAccess['outcome']): Promise<void> {
    const { operation, identifiers, reason } = access;
    const at = clock.now();
    return accessLog.record(accessEntry(call, call.entity, { operation, identifiers, reason, outcome, at }));
  }

  /** Refusals are logged, too: the response is sent after the log has the request and its caller. */
  async function refuse(call: VaultCall, access: Access, error: ServiceError): Promise<never> {
    await record(call, access, 'refused');
    throw error;
  }

  /** The entity now, which for an upload may be long after the request began. */
  function current({ entity, caller }: VaultCall, database: Database, act: 'read' | 'write'): EntityRow {
    const row = getEntity(database, entity, entity.fp_id, entity.kind);
    caller.requireUnrevoked?.(database, act);
    return row;
  }

  async function writeChanges(
    call: WriteCall,
    changes: ReadonlyMap<string, JsonValue>,
  ): Promise<Answer<object>> {
    const request = { changes, skipLuhn: skipsLuhn(call.headers), by: call.caller };
    const version = await queue.write((database) =>
      vault.write(database, current(call, database, 'write'), request),
    );
    return vaultAnswer({}, version);
  }

  return {
    present: async (call: ReadCall & { readonly query: { readonly fields?: string } }): Values<boolean> => {
      const { query, headers } = call;
      const fields = query.fields === undefined ? undefined : listParameter('fields', query.fields);
      if (fields) requireKnownIdentifiers(fields);
      const { database } = queue;
      const version = requestedVersion(headers['x-fp-vault-version'], call.entity);
      const present = fields
        ? vault.present(database, call.entity, version, fields)
        : await vault.presentInTurns(database, call.entity, version);
      const isPresent = new Set(present);
      const values = Object.fromEntries((fields ?? present).map((name) => [name, isPresent.has(name)]));
      return vaultAnswer(values, call.entity.vault_version);
    },

    write: async (call: WriteCall): Promise<Answer<object>> => {
      const changes = changesOf(call.body);
      requireWritable(call, changes.keys());
      return await writeChanges(call, changes);
    },

    validate: (call: WriteCall): Answer<object> => {
      const changes = changesOf(call.body);
      requireWritable(call, changes.keys());
      const request = { changes, skipLuhn: skipsLuhn(call.headers), by: call.caller };
      vault.validate(queue.database, call.entity, request);
      return answer({});
    },

    /** The access log has each deletion with the names that were deleted. */
    remove: async (call: VaultCall & AccessCall & { readonly body: DeleteBody }): Values<boolean> => {
      const { body } = call;
      const purge = body.purge ?? false;
      const fields = fieldsToDelete(body);
      const currently = (database: Database) => current(call, database, 'write');
      const history = purge ? ' with its history' : '';
      const record = (database: Database, identifiers: readonly string[] | 'all') => {
        const named = identifiers === 'all' ? [] : identifiers;
        const what = identifiers === 'all' ? 'everything' : counted(named.length, 'field');
        const effect = `deleted ${what}${history}`;
        const act = { operation: 'delete_data', effect, reason: body.reason, identifiers: named } as const;
        acts.record(database, call, call.entity, act);
      };
      const inTurnsBy = { purge, record: (database: Database) => record(database, 'all') };
      const inTurns = fields === 'all' ? await removeInTurns(call.entity, currently, inTurnsBy) : undefined;
      const {
        answer: deleted,
        version,
        released,
      } = inTurns ??
      (await queue.free((database) => {
        const removal = vault.remove(database, currently(database), { fields, purge });
        const removed = Object.entries(removal.answer).flatMap(([name, isDeleted]) =>
          isDeleted ? [name] : [],
        );
        // A purge destroys what was deleted before, too.
        const named = fields === 'all' || purge ? fields : removed;
        if (purge || removed.length > 0) record(database, named);
        return removal;
      }));
      if (purge) queue.scrub();
      await vault.discard(released);
      return vaultAnswer(deleted, version);
    },

    /** Files are returned as base64 text, which is streamed unless it is transformed. */
    decrypt: async (call: ReadCall & { readonly body: DecryptBody }): Values<JsonValue> => {
      const { body } = call;
      const references = referencesOf(body.fields);
      requireFewVersions(call.caller, references);
      const budget = new TransformBudget();
      const transforms = parseTransforms(body.transforms ?? [], budget);
      const version = versionToRead(call, body, references);
      const identifiers = references.map(({ text }) => text);
      const reason = givenReason(body.reason);
      const access = { operation: 'decrypt', identifiers, reason: reason ?? null } as const;
      const refusal = decryptDenial(call, references);
      if (refusal) return refuse(call, access, refusal);
      if (reason === undefined) {
        const missing = new ServiceError('reason_required', 'A decryption needs a reason, in member reason');
        return refuse(call, access, missing);
      }
      const revealed = await readTwice<Revealed>(call, async (entity) => {
        const requireEntity = () => void current(call, queue.database, 'read');
        const request = { entity, references, version, requireEntity, held: call.held };
        const values = await revealInTurns(vault, queue.database, request);
        if (holdsNoFile(values)) return values;
        return readFiles(vault, values, { held: call.held, isStreamed: () => transforms.length === 0 });
      });
      await record(call, access, 'granted');
      const { vault_version } = call.entity;
      if (transforms.length === 0) return vaultAnswer(untransformed(revealed), vault_version);
      const asked = [...revealed].map(([name, input]) => ({ name, input, transforms }));
      const results = await transformed(asked, budget, (result) => {
        if (typeof result === 'string') budget.answer(result.length);
      });
      const values = Object.fromEntries(asked.map(({ name }, at) => [name, results[at]]));
      return vaultAnswer(values as Record<string, JsonValue>, vault_version);
    },

    integrity: async (call: VaultCall & { readonly body: IntegrityBody }): Values<string | null> => {
      const { body } = call;
      const references = referencesOf(body.fields);
      const identifiers = references.map(({ text }) => text);
      const access = { operation: 'integrity', identifiers, reason: null } as const;
      const refusal = decryptDenial(call, references);
      if (refusal) return refuse(call, access, refusal);
      const signingKey = Buffer.from(body.signing_key, 'hex');
      const hashes = await readTwice(call, (entity) =>
        vault.integrity(queue.database, entity, { references, signingKey }),
      );
      await record(call, access, 'granted');
      return answer(Object.fromEntries([...hashes].map(([reference, hash]) => [reference, hash ?? null])));
    },

    /** Stores a streamed upload, as a file or as a value, by the identifier's kind. */
    upload: async (
      call: WriteCall & { readonly params: { readonly identifier: string }; readonly body: Upload },
    ): Promise<Answer<object>> => {
      const { params, body: upload } = call;
      const { identifier } = params;
      requireWritable(call, [identifier]);
      const plan = planUpload({ kind: call.entity.kind, identifier, contentType: upload.contentType });
      if (plan.as !== 'file') {
        const value = await uploadedValue(upload, { identifier, as: plan.as });
        return await writeChanges(call, new Map([[identifier, value]]));
      }
      const file = await vault.sealFile(upload);
      try {
        const version = await queue.write((database) =>
          vault.store(database, current(call, database, 'write'), {
            changes: NO_CHANGES,
            files: new Map([[plan.identifier, file]]),
            skipLuhn: skipsLuhn(call.headers),
            by: call.caller,
          }),
        );
        return vaultAnswer({}, version);
      } catch (error) {
        // After a commit with an unknown outcome a row may reference it; the next start finds out.
        if (!queue.isReadOnly) await vault.discard([file.blob]);
        throw error;
      }
    },

    /** One datum as bytes. Throws `not_found` when it is absent. */
    async download(call: VaultCall, identifier: string, given: string | undefined): Promise<FileDownload> {
      const reason = givenReason(given);
      const references = referencesOf([identifier]);
      const access = { operation: 'download', identifiers: [identifier], reason: reason ?? null } as const;
      const refusal = decryptDenial(call, references);
      if (refusal) return refuse(call, access, refusal);
      if (reason === undefined) {
        const missing = new ServiceError(
          'reason_required',
          'A download needs a reason, in its token or query',
        );
        return refuse(call, access, missing);
      }
      const download = await readTwice(call, (entity) => {
        const version = entity.vault_version;
        const value = vault.reveal(queue.database, entity, { references, version }).get(identifier);
        if (value === undefined) throw new ServiceError('not_found', `Nothing is stored under ${identifier}`);
        return downloadOf(vault, value);
      });
      try {
        await record(call, access, 'granted');
      } catch (error) {
        await download.close();
        throw error;
      }
      return download;
    },
  };

  /** A value that was deleted or purged while it was read is missing, not damaged; a second read distinguishes this. */
  async function readTwice<T>(call: VaultCall, read: (entity: EntityRow) => T | Promise<T>): Promise<T> {
    try {
      return await read(call.entity);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'vault_damaged') throw error;
      return read(current(call, queue.database, 'read'));
    }
  }

  /** A client token may be limited to one version of an identifier; a key's permissions cover all versions. */
  function decryptDenial(
    { caller }: VaultCall,
    references: readonly IdentifierReference[],
  ): ServiceError | undefined {
    return denial(
      caller,
      'decrypt',
      references.map(({ identifier, text }) => (caller.kind === 'client_token' ? text : identifier)),
    );
  }

  function requireWritable({ caller }: VaultCall, names: Iterable<string>): void {
    const identifiers = [...names];
    requireKnownIdentifiers(identifiers);
    const refusal = denial(caller, 'write', identifiers);
    if (refusal) throw refusal;
  }

  function versionToRead(
    { entity, headers }: ReadCall,
    body: DecryptBody,
    references: readonly IdentifierReference[],
  ): number {
    const header = headers['x-fp-vault-version'];
    const selectors = [
      header !== undefined,
      body.version_at !== undefined,
      references.some((reference) => reference.version !== undefined),
    ];
    if (selectors.filter(Boolean).length > 1) {
      throw invalid('Send only one of header x-fp-vault-version, version_at and version suffixes in fields');
    }
    if (body.version_at !== undefined)
      return vault.versionAt(queue.database, entity, Date.parse(body.version_at));
    return requestedVersion(header, entity);
  }
}

/** Valid references without duplicates, in request order. Throws `invalid_request`. */
function referencesOf(fields: readonly string[]): IdentifierReference[] {
  return [...new Set(fields)].map(parseIdentifierReference);
}

/** The most versions of one identifier that a client token reads in one request (assumed). */
const VERSIONS_PER_IDENTIFIER = 20;

/** Keeps a token with few identifiers from reading thousands of values by their versions. */
function requireFewVersions({ kind }: VaultActor, references: readonly IdentifierReference[]): void {
  if (kind !== 'client_token') return;
  const versions = new Map<string, number>();
  for (const { identifier } of references) {
    const asked = (versions.get(identifier) ?? 0) + 1;
    versions.set(identifier, asked);
    if (asked <= VERSIONS_PER_IDENTIFIER) continue;
    throw invalid(
      `fields: a client token reads at most ${VERSIONS_PER_IDENTIFIER} versions of one identifier in a request`,
    );
  }
}

function fieldsToDelete(body: DeleteBody): readonly string[] | 'all' {
  const isAll = body.delete_all === true;
  if (isAll === (body.fields !== undefined)) throw invalid('Send exactly one of fields and delete_all: true');
  if (body.fields === undefined) return 'all';
  requireKnownIdentifiers(body.fields);
  return body.fields;
}
