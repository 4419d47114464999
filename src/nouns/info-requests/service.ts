/** What somebody has asked a user for, until the user has given it (contract §11, §14). */
import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { counted } from '../../kernel/text/count-text.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { givenReason } from '../../kernel/text/text.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, integer, table } from '../../storage/table.ts';
import { callOfControl } from '../../vault/access-entry.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { rowSeal } from '../../vault/grants/index.ts';
import { describeIdentifier, requireKnownIdentifiers } from '../../vault/identifiers/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import type { VaultReads } from '../../vault/vault.ts';
import { spaceOf } from '../api-keys/service/index.ts';
import { type EntityRow, getEntity } from '../entities/service/index.ts';
import { type Handlers, written } from '../handlers.ts';
import type { Events } from '../webhooks/service/index.ts';
import type { Needs } from '../needs.ts';

const REQUESTS = table(
  'info_requests',
  {
    /** Row id of the user. */
    entity: integer,
    sealed: bytes,
    /** Epoch milliseconds. */
    created_at: integer,
  },
  { key: ['entity'], seal: rowSeal('info_requests') },
);

const findRequest = REQUESTS.first<[entity: number]>('WHERE entity = ?');
const deleteRequest = REQUESTS.delete<[entity: number]>('entity = ?');

type InfoRequest = AnswerOf<'POST /_kyclone/entities/{fp_id}/request_info'>;

export type InfoRequests = ReturnType<typeof createInfoRequests>;

export function createInfoRequests(
  context: Needs<'queue' | 'clock' | 'privateValues' | 'acts'> & { readonly events: Events },
) {
  const { queue, clock, privateValues, events, acts } = context;

  function opened(user: EntityRow, sealed: Uint8Array): InfoRequest {
    return JSON.parse(privateValues.open('info request', user.fp_id, sealed)) as InfoRequest;
  }

  /** Throws `vault_damaged`. */
  function asked(database: Database, user: EntityRow): InfoRequest | undefined {
    const row = findRequest(database, user.id);
    return row && opened(user, row.sealed);
  }

  return {
    /** The open request as the user shows it; null when there is none. One that doesn't open is marked. */
    required: (
      database: Database,
      user: EntityRow,
    ): AnswerOf<'GET /users/{fp_id}'>['requires_additional_info'] => {
      const row = findRequest(database, user.id);
      if (!row) return null;
      const note = unlessDamaged(() => opened(user, row.sealed).note) ?? DAMAGED_MASK;
      return { timestamp: timestamp(row.created_at), note };
    },

    asked,

    handlers: {
      // A new request replaces an open one.
      'POST /_kyclone/entities/{fp_id}/request_info': ({ params, query, body, ...by }) =>
        written(queue, (database) => {
          const user = getEntity(database, spaceOf(database, query), params.fp_id, 'user');
          if (givenReason(body.note) === undefined) throw invalid('note must not be blank');
          const fields = [...new Set(body.fields)];
          requireAskable(fields);
          const { note, document = null } = body;
          const created_at = clock.now();
          const request: InfoRequest = {
            timestamp: timestamp(created_at),
            note,
            document,
            fields,
            operator: by.operator,
          };
          const sealed = privateValues.seal('info request', user.fp_id, JSON.stringify(request));
          REQUESTS.put(database, { entity: user.id, sealed, created_at });
          const { fp_id, external_id } = user;
          events.emit(database, user, { kind: 'user.info_requested', fp_id, members: { external_id, note } });
          acts.record(database, callOfControl(by), user, {
            operation: 'request_info',
            effect: `asked for ${askedText(request)}`,
            reason: body.reason,
          });
          return request;
        }),
    } satisfies Handlers<Extract<EndpointKey, `${string}/request_info`>>,

    /** Closes the request of a user whose vault has it all. Throws `T121` naming what is missing. */
    close(database: Database, user: EntityRow, vault: VaultReads): void {
      const request = asked(database, user);
      if (!request) return;
      const isStored = vault.presence(database, user, user.vault_version);
      const { document, fields } = request;
      const wanted = [...fields, ...(document === null ? [] : [`document.${document}.front.image`])];
      const missing = wanted.filter((identifier) => !isStored(identifier));
      if (missing.length === 0) {
        deleteRequest(database, user.id);
        return;
      }
      throw new ServiceError('T121', `The user was asked for more: ${missing.join(', ')}`, {
        context: Object.fromEntries(missing.map((identifier) => [identifier, 'was asked for'])),
      });
    },
  };
}

/** Without the note, which may be about the person. */
function askedText({ document, fields }: InfoRequest): string {
  const parts = [
    ...(document === null ? [] : [`document ${document}`]),
    ...(fields.length === 0 ? [] : [counted(fields.length, 'field')]),
  ];
  return parts.join(' and ') || 'more';
}

/** Identifiers that a screen can ask a person for. */
function requireAskable(fields: readonly string[]): void {
  requireKnownIdentifiers(fields);
  const others = fields.filter((field) => !ASKABLE.has(describeIdentifier(field)?.family ?? ''));
  if (others.length > 0) {
    throw invalid(`fields has identifiers that a person is not asked for on a screen: ${others.join(', ')}`);
  }
}

const ASKABLE: ReadonlySet<string> = new Set(['id', 'investor_profile', 'custom']);
