/** Watchlist and media hits, and people's decisions about them (contract §11). */
import { hash } from 'node:crypto';
import { type HitCode, type HitDecision, isHitCode } from '../../contract/facts/cases.ts';
import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { givenReason } from '../../kernel/text/text.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, integer, type RowOf, table, text, textOf } from '../../storage/table.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { rowSeal } from '../../vault/grants/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { type AccessCall, callOfControl } from '../../vault/access-entry.ts';
import { spaceOf } from '../api-keys/service/index.ts';
import { type EntityKind, type EntityRow, getEntity } from '../entities/service/index.ts';
import { answer, type Handlers, written } from '../handlers.ts';
import type { RiskSignals } from '../risk-signals/service.ts';
import type { Needs } from '../needs.ts';

// Made-up lists, names and scores, derived from an id and a code only, so that they repeat with a seed.

const LISTS: Readonly<Record<HitCode, readonly [string, string]>> = {
  watchlist_hit_ofac: ['Northern Sanctions Register', 'Harbour Sanctions Register'],
  watchlist_hit_non_sdn: ['Register of Restricted Trade', 'Register of Restricted Finance'],
  watchlist_hit_warning: ['Market Warnings Bulletin', 'Investor Warnings Bulletin'],
  watchlist_hit_pep: ['Register of Public Offices', 'Register of Elected Persons'],
  adverse_media_hit: ['Evening Press Archive', 'Court News Archive'],
  business_name_watchlist_hit: ['Register of Restricted Companies', 'Harbour Companies Register'],
};
const FIRST = ['Avelina', 'Bertrand', 'Corisande', 'Dorrit', 'Ewald', 'Florentin', 'Gundula', 'Hesper'];
const LAST = ['Aldermoor', 'Brackwater', 'Castellane', 'Dunmarsh', 'Elverstone', 'Fennimore', 'Greywood'];
const TRADES = ['Trading', 'Shipping', 'Holdings', 'Minerals', 'Logistics'];
const LEAST_SCORE = 60;
const SCORES = 40;

/** `kind` is the entity's: a business matches a company. */
function madeUpHit(
  fpId: string,
  code: HitCode,
  kind: EntityKind,
): Pick<Hit, 'list' | 'matched_name' | 'score'> {
  const digest = hash('sha256', `hit ${fpId} ${code}`, 'buffer');
  const oneOf = (words: readonly string[], at: number) => words[digest.readUInt16BE(at) % words.length] ?? '';
  return {
    list: oneOf(LISTS[code], 0),
    matched_name: `${oneOf(kind === 'user' ? FIRST : LAST, 2)} ${oneOf(kind === 'user' ? LAST : TRADES, 4)}`,
    score: LEAST_SCORE + (digest.readUInt16BE(6) % SCORES),
  };
}

// All SQL of decisions about hits. `entity` is the row id of the entity; times are epoch milliseconds.

const REVIEWS = table(
  'hit_reviews',
  {
    /** Increases with each decision. */
    seq: integer,
    entity: integer,
    onboarding: text,
    reason_code: text,
    decision: textOf<HitDecision>(),
    /** Reason and operator. */
    sealed_note: bytes,
    created_at: integer,
  },
  { seal: rowSeal('hit_reviews') },
);

/** Oldest first. Throws `vault_damaged` when another program has changed one. */
const listReviews = REVIEWS.all<[entity: number]>('WHERE entity = ? ORDER BY seq');

export type Hit = AnswerOf<'GET /_kyclone/entities/{fp_id}/hits'>[number];
type Review = NonNullable<Hit['review']>;

/** A decision with its hit. */
type ReviewedHit = Review & Pick<Hit, 'onboarding_id' | 'reason_code'>;

type HitKeys = Extract<
  EndpointKey,
  `${string}/hits` | `POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review`
>;

export type Hits = ReturnType<typeof createHits>;

interface Judgement {
  readonly decision: HitDecision;
  readonly reason: string;
  readonly call: AccessCall;
}

type Note = Pick<Review, 'reason' | 'operator'>;
const DAMAGED_NOTE: Note = { reason: DAMAGED_MASK, operator: null };

export function createHits(
  context: Needs<'queue' | 'clock' | 'privateValues' | 'acts'> & { readonly signals: RiskSignals },
) {
  const { queue, clock, privateValues, signals, acts } = context;

  function noteOf({ seq, sealed_note }: RowOf<typeof REVIEWS>): Note {
    const read = () => JSON.parse(privateValues.open('hit review', String(seq), sealed_note)) as Note;
    return unlessDamaged(read) ?? DAMAGED_NOTE;
  }

  /** All decisions about hits of the entity, oldest first; a note that doesn't open is marked. */
  function reviewsOf(database: Database, entity: EntityRow): ReviewedHit[] {
    return listReviews(database, entity.id).flatMap((row) => {
      const { onboarding: onboarding_id, reason_code, decision, created_at } = row;
      if (!isHitCode(reason_code)) return [];
      return [{ onboarding_id, reason_code, decision, ...noteOf(row), at: timestamp(created_at) }];
    });
  }

  function hitsOf(database: Database, entity: EntityRow, onboarding: string): Hit[] {
    const made = reviewsOf(database, entity).filter(({ onboarding_id }) => onboarding_id === onboarding);
    return signals
      .ofEntity(database, entity, onboarding)
      .flatMap(({ reason_code: code, severity, timestamp: found_at }) => {
        if (!isHitCode(code)) return [];
        const last = made.findLast(({ reason_code }) => reason_code === code);
        const review = last
          ? { decision: last.decision, reason: last.reason, operator: last.operator, at: last.at }
          : null;
        const hit = madeUpHit(entity.fp_id, code, entity.kind);
        return [{ onboarding_id: onboarding, reason_code: code, severity, found_at, ...hit, review }];
      });
  }

  /** The hits of the latest finished onboarding; empty without one. */
  function latest(database: Database, entity: EntityRow): Hit[] {
    const onboarding = signals.latestRun(database, entity);
    return onboarding === undefined ? [] : hitsOf(database, entity, onboarding);
  }

  function decide(
    database: Database,
    entity: EntityRow,
    hit: Hit,
    { decision, reason, call }: Judgement,
  ): Review {
    const seq = REVIEWS.next(database, 'seq');
    const { operator } = call;
    const note = JSON.stringify({ reason, operator } satisfies Note);
    const at = clock.now();
    REVIEWS.insert(database, {
      seq,
      entity: entity.id,
      onboarding: hit.onboarding_id,
      reason_code: hit.reason_code,
      decision,
      created_at: at,
      sealed_note: privateValues.seal('hit review', String(seq), note),
    });
    const effect = `${hit.reason_code}: ${decision}`;
    acts.record(database, call, entity, { operation: 'review_hit', effect, reason });
    return { decision, reason, operator, at: timestamp(at) };
  }

  return {
    latest,
    reviews: reviewsOf,

    handlers: {
      'GET /_kyclone/entities/{fp_id}/hits': ({ params, query: { onboarding_id, ...space } }) => {
        const { database } = queue;
        const entity = getEntity(database, spaceOf(database, space), params.fp_id);
        return answer(
          onboarding_id === undefined ? latest(database, entity) : hitsOf(database, entity, onboarding_id),
        );
      },

      'POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review': ({ params, query, body, ...by }) => {
        const { decision, onboarding_id } = body;
        const reason = givenReason(body.reason);
        if (reason === undefined) throw invalid('reason must say why: blanks are no reason');
        return written(queue, (database) => {
          const entity = getEntity(database, spaceOf(database, query), params.fp_id);
          const onboarding = onboarding_id ?? signals.latestRun(database, entity);
          const found = onboarding === undefined ? [] : hitsOf(database, entity, onboarding);
          const hit = found.find(({ reason_code }) => reason_code === params.reason_code);
          if (hit === undefined)
            throw new ServiceError('not_found', 'The onboarding has no hit of this reason code');
          const call = callOfControl(by);
          return { ...hit, review: decide(database, entity, hit, { decision, reason, call }) };
        });
      },
    } satisfies Handlers<HitKeys>,

    /** In a write job: decides on those of the latest finished onboarding that nobody decided on. */
    settle(database: Database, entity: EntityRow, by: Judgement): void {
      for (const hit of latest(database, entity)) {
        if (hit.review === null) decide(database, entity, hit, by);
      }
    },
  };
}
