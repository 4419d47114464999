/** Claims of cases: who works on one (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { type ServiceError, invalid, conflict } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, integer, table } from '../../storage/table.ts';
import { type AccessRequest, callOfControl } from '../../vault/access-entry.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { rowSeal } from '../../vault/grants/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { spaceOf } from '../api-keys/service/index.ts';
import { type EntityRow, getEntity } from '../entities/service/index.ts';
import { answer, type Handlers, type KeysUnder, done } from '../handlers.ts';
import type { Needs } from '../needs.ts';

const CLAIM_MS = 15 * 60_000;

type ClaimView = AnswerOf<'POST /_kyclone/entities/{fp_id}/claim'>;
type Request = Pick<RequestOf<'DELETE /_kyclone/entities/{fp_id}/claim'>, 'params' | 'query'> & AccessRequest;

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

    /** Throws `conflict` when another operator has it and `take_over` is not given. */
    claim: ({ params: { fp_id }, query, ...by }: Request, takesOver: boolean): Promise<ClaimView> =>
      queue.write((database) => {
        const entity = getEntity(database, spaceOf(database, query), fp_id);
        const name = requireOperator(by.operator);
        const before = current(database, entity);
        const isOthers = before !== undefined && before.operator !== name;
        if (isOthers && !takesOver) throw takenBy(before);
        const now = clock.now();
        const isNew = before === undefined || isOthers;
        const claim = { operator: name, created_at: isNew ? now : before.created_at, until: now + CLAIM_MS };
        if (isNew) {
          const effect = isOthers ? 'taken over' : 'claimed';
          acts.record(database, callOfControl(by), entity, { operation: 'claim', effect });
        }
        const { operator, ...times } = claim;
        deleteClaim(database, entity.id);
        const sealed_operator = privateValues.seal('claim', fp_id, operator);
        CLAIMS.insert(database, { entity: entity.id, sealed_operator, ...times });
        return view(claim);
      }),

    /** Throws `conflict` when another operator has it; succeeds when nobody has. */
    release: ({ params: { fp_id }, query, operator }: Request): Promise<void> =>
      queue.write((database) => {
        const entity = getEntity(database, spaceOf(database, query), fp_id);
        const name = requireOperator(operator);
        const claim = current(database, entity);
        if (claim !== undefined && claim.operator !== name) throw takenBy(claim);
        deleteClaim(database, entity.id);
      }),
  };
}

function view({ operator, created_at, until }: Claimed): ClaimView {
  return { operator, since: timestamp(created_at), until: timestamp(until) };
}

function requireOperator(operator: string | null): string {
  if (operator !== null) return operator;
  throw invalid('A claim needs the header x-kyclone-operator, which names its operator');
}

function takenBy({ operator, until }: Claimed): ServiceError {
  return conflict(`${operator} works on this case until ${timestamp(until)}; take_over takes it over`);
}

export function claimHandlers(claims: Claims): Handlers<KeysUnder<'/_kyclone/entities/{fp_id}/claim'>> {
  return {
    'POST /_kyclone/entities/{fp_id}/claim': async (request) =>
      answer(await claims.claim(request, request.body?.take_over === true)),
    'DELETE /_kyclone/entities/{fp_id}/claim': (request) => done(claims.release(request)),
  };
}
