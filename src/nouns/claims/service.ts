/** Claims of cases: who works on one (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { invalid, ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, integer, table } from '../../storage/table.ts';
import { callOfControl } from '../../vault/access-entry.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { rowSeal } from '../../vault/grants/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { spaceOf } from '../api-keys/service/index.ts';
import { type EntityRow, getEntity } from '../entities/service/index.ts';
import { type Handlers, type KeysUnder, written, doneWriting } from '../handlers.ts';
import type { Needs } from '../needs.ts';

const CLAIM_MS = 15 * 60_000;

type ClaimView = AnswerOf<'POST /_kyclone/entities/{fp_id}/claim'>;

// All SQL of claims. `entity` is the row id of the entity; times are epoch milliseconds by the clock of the instance.

const CLAIMS = table(
  'claims',
  {
    entity: integer,
    sealed_operator: bytes,
    /** When this operator began. */
    created_at: integer,
    until: integer,
  },
  { key: ['entity'], seal: rowSeal('claims') },
);

const findClaim = CLAIMS.first<[entity: number]>('WHERE entity = ?');
const deleteClaim = CLAIMS.delete<[entity: number]>('entity = ?');

interface Claimed {
  readonly operator: string;
  readonly created_at: number;
  readonly until: number;
}

type Case = Pick<EntityRow, 'id' | 'fp_id'>;

export type Claims = ReturnType<typeof createClaims>;

export function createClaims({
  queue,
  clock,
  privateValues,
  acts,
}: Needs<'queue' | 'clock' | 'privateValues' | 'acts'>) {
  function current(database: Database, { id, fp_id }: Case): Claimed | undefined {
    const row = findClaim(database, id);
    const now = clock.now();
    // A clock that was set back must not prolong a claim.
    if (row === undefined || row.until <= now || row.until > now + CLAIM_MS) return undefined;
    const { sealed_operator, created_at, until } = row;
    const operator = unlessDamaged(() => privateValues.open('claim', fp_id, sealed_operator)) ?? DAMAGED_MASK;
    return { operator, created_at, until };
  }

  return {
    /** The claim of an entity that has not expired. */
    of(database: Database, entity: Case): ClaimView | null {
      const claim = current(database, entity);
      return claim === undefined ? null : view(claim);
    },

    handlers: {
      'POST /_kyclone/entities/{fp_id}/claim': ({ params: { fp_id }, query, body, ...by }) =>
        written(queue, (database) => {
          const entity = getEntity(database, spaceOf(database, query), fp_id);
          const operator = requireOperator(by.operator);
          const before = current(database, entity);
          const isOthers = before !== undefined && before.operator !== operator;
          if (isOthers && body?.take_over !== true) throw takenBy(before, '; take_over: true takes it over');
          const now = clock.now();
          const isNew = before === undefined || isOthers;
          const times = { created_at: isNew ? now : before.created_at, until: now + CLAIM_MS };
          if (isNew) {
            const effect = isOthers ? 'taken over' : 'claimed';
            acts.record(database, callOfControl(by), entity, { operation: 'claim', effect });
          }
          const sealed_operator = privateValues.seal('claim', fp_id, operator);
          CLAIMS.put(database, { entity: entity.id, sealed_operator, ...times });
          return view({ operator, ...times });
        }),

      'DELETE /_kyclone/entities/{fp_id}/claim': ({ params: { fp_id }, query, operator }) =>
        doneWriting(queue, (database) => {
          const entity = getEntity(database, spaceOf(database, query), fp_id);
          const name = requireOperator(operator);
          const claim = current(database, entity);
          if (claim !== undefined && claim.operator !== name) throw takenBy(claim);
          deleteClaim(database, entity.id);
        }),
    } satisfies Handlers<KeysUnder<'/_kyclone/entities/{fp_id}/claim'>>,
  };
}

function view({ operator, created_at, until }: Claimed): ClaimView {
  return { operator, since: timestamp(created_at), until: timestamp(until) };
}

function requireOperator(operator: string | null): string {
  if (operator !== null) return operator;
  throw invalid('A claim needs the header x-kyclone-operator, which names its operator');
}

function takenBy({ operator, until }: Claimed, wayOut = ''): ServiceError {
  return new ServiceError('conflict', `${operator} works on this case until ${timestamp(until)}${wayOut}`);
}
