/**
 * Intents: a user who finishes the bank flow gets one, to create or reconnect a link (contract §7.3). One-time,
 * short-lived, and stored as SHA-256 only.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { DEFAULT_PERSONA, INTENT_TTL_MINUTES } from '../endpoints/index.ts';
import { DEFAULT_INSTITUTION } from '../facts.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { ServiceError, invalid, conflict } from '../../../kernel/errors.ts';
import { nearest } from '../../../kernel/text/nearest.ts';
import type { Randomness } from '../../../kernel/ids/random.ts';
import { DAY_MS, MINUTE_MS } from '../../../kernel/numbers/units.ts';
import type { Database } from '../../../storage/database.ts';
import type { Space } from '../../api-keys/service/index.ts';
import { findEntityById, findEntityByRow, type EntityRow } from '../../entities/service/index.ts';
import { type PlacedLinkRow, getLink } from './links-repository.ts';
import {
  deleteExpiredPages,
  deleteIntentsExpiredBefore,
  findIntent,
  insertIntent,
  type IntentRow,
} from './intents-repository.ts';
import type { BankSimulations } from './simulations.ts';

export interface FoundIntent {
  readonly intent: IntentRow;
  readonly entity: EntityRow;
}

type IntentBody = Omit<RequestOf<'POST /_kyclone/bank_link_intents'>['body'], 'redirect_url'>;
type Intent = Omit<AnswerOf<'POST /_kyclone/bank_link_intents'>, 'link'>;

const TOKEN_PATTERN = /^blit_[0-9A-Za-z]{34}$/;
const TOKEN_CHARACTERS = 34;

/** Within a write job. Throws `not_found` for an entity or link, `invalid_request` for a persona or institution. */
export function mintIntent(
  database: Database,
  body: IntentBody,
  { random, worlds, now }: { random: Randomness; worlds: BankSimulations; now: number },
): Intent {
  const entity = findEntityById(database, body.fp_id);
  if (!entity) throw new ServiceError('not_found', 'fp_id: no user or business has this id');
  const link = linkToReconnect(database, entity, body.link_id);
  if (link) refuseOthers(body, link);
  const persona = body.persona ?? link?.persona ?? DEFAULT_PERSONA;
  const names = worlds.personas.map(({ name }) => name);
  if (!names.includes(persona)) {
    throw invalid(`persona must be one of ${names.join(', ')}`, { meant: nearest(persona, names) });
  }
  const institution = body.institution ?? link?.institution ?? DEFAULT_INSTITUTION;
  return storeIntent(database, { entity, link, persona, institution }, { random, now });
}

/** Within a write job, for an existing persona. */
export function storeIntent(
  database: Database,
  {
    entity,
    link,
    persona,
    institution,
  }: Pick<IntentRow, 'persona' | 'institution'> & {
    entity: EntityRow;
    /** The link that it reconnects. */
    link?: PlacedLinkRow | undefined;
  },
  { random, now }: { readonly random: Randomness; readonly now: number },
): Intent {
  // Keeps expired intents for a day, so that the caller gets the right reason instead of "unknown".
  deleteIntentsExpiredBefore(database, entity.id, now - DAY_MS);
  deleteExpiredPages(database, now);
  const token = `blit_${random.secretText(TOKEN_CHARACTERS)}`;
  const expires_at = now + INTENT_TTL_MINUTES * MINUTE_MS;
  insertIntent(database, {
    digest: digestOf(token),
    entity: entity.id,
    link: link?.seq ?? null,
    persona,
    institution,
    created_at: now,
    expires_at,
  });
  return {
    intent_token: token,
    fp_id: entity.fp_id,
    persona,
    institution,
    link_id: link?.id ?? null,
    expires_at: timestamp(expires_at),
  };
}

function linkToReconnect(
  database: Database,
  entity: EntityRow,
  id: string | null | undefined,
): PlacedLinkRow | undefined {
  if (id === undefined || id === null) return undefined;
  const link = getLink(database, entity.space, id);
  if (link.entity !== entity.id) {
    throw new ServiceError('not_found', `link_id: this ${entity.kind} has no bank link of this id`);
  }
  return link;
}

/** The link already has its accounts. */
function refuseOthers(body: IntentBody, link: PlacedLinkRow): void {
  for (const member of ['persona', 'institution'] as const) {
    if (body[member] !== undefined && body[member] !== link[member]) {
      throw invalid(`${member} is not that of the link, and a link keeps its own: leave it out`);
    }
  }
}

/** A currently valid intent of this space, with its entity. Throws `intent_invalid`; `conflict` when it was used. */
export function usableIntent(database: Database, { space }: Space, token: string, now: number): FoundIntent {
  const found = presentedIntent(database, token);
  if (found?.entity.space !== space) throw unusable();
  const { intent } = found;
  if (intent.used_at !== null) throw conflict('The intent was used: mint another one');
  if (hasExpired(intent, now)) throw unusable();
  return found;
}

/** The intent of a token in any state, with its entity. */
export function presentedIntent(database: Database, token: string): FoundIntent | undefined {
  return TOKEN_PATTERN.test(token) ? intentOfDigest(database, digestOf(token)) : undefined;
}

export function intentOfDigest(database: Database, digest: Uint8Array): FoundIntent | undefined {
  const intent = findIntent(database, digest);
  if (!intent || !timingSafeEqual(intent.digest, digest)) return undefined;
  const entity = findEntityByRow(database, intent.entity);
  return entity && { intent, entity };
}

export function hasExpired({ expires_at, has_expired }: IntentRow, now: number): boolean {
  return now >= expires_at || has_expired === 1;
}

export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function unusable(): ServiceError {
  return new ServiceError(
    'intent_invalid',
    'The intent is malformed, unknown, expired, or of another tenant or environment',
  );
}
