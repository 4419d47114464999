/** Claims of cases: who works on one, in memory only (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { type Clock, timestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { type AccessRequest, callOfControl } from '../../vault/access-entry.ts';
import type { Acts } from '../../vault/acts.ts';
import { spaceOf } from '../api-keys/index.ts';
import { getEntity } from '../entities/index.ts';
import { answer, type Handlers, type KeysUnder } from '../handlers.ts';

const CLAIM_MS = 15 * 60_000;

type ClaimView = AnswerOf<'POST /_kyclone/entities/{fp_id}/claim'>;
type Request = Pick<RequestOf<'DELETE /_kyclone/entities/{fp_id}/claim'>, 'params' | 'query'> & AccessRequest;

export interface Claims {
  /** The claim of an entity that has not expired. */
  of(fpId: string): ClaimView | null;
  /** Throws `conflict` when another operator has it and `take_over` is not given. */
  claim(request: Request, takesOver: boolean): Promise<ClaimView>;
  /** Throws `conflict` when another operator has it; succeeds when nobody has. */
  release(request: Request): void;
}

interface Claimed {
  readonly operator: string;
  /** Epoch milliseconds by the clock of the instance. */
  readonly until: number;
}

export function createClaims({
  queue,
  clock,
  acts,
}: {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly acts: Acts;
}): Claims {
  const claimed = new Map<string, Claimed>();

  function current(fpId: string): Claimed | undefined {
    const now = clock.now();
    const claim = claimed.get(fpId);
    // A clock that was set back must not prolong a claim.
    const isOver = claim === undefined || claim.until <= now || claim.until > now + CLAIM_MS;
    if (!isOver) return claim;
    claimed.delete(fpId);
    return undefined;
  }

  return {
    of(fpId) {
      const claim = current(fpId);
      return claim === undefined ? null : view(claim);
    },

    claim: ({ params: { fp_id }, query, ...by }, takesOver) =>
      queue.write((database) => {
        const entity = getEntity(database, spaceOf(database, query), fp_id);
        const name = requireOperator(by.operator);
        const before = current(fp_id);
        const isOthers = before !== undefined && before.operator !== name;
        if (isOthers && !takesOver) throw takenBy(before);
        const claim = { operator: name, until: clock.now() + CLAIM_MS };
        const effect = isOthers ? 'taken over' : 'claimed';
        if (before === undefined || isOthers) {
          acts.record(database, callOfControl(by), entity, { operation: 'claim', effect });
        }
        claimed.set(fp_id, claim);
        return view(claim);
      }),

    release({ params: { fp_id }, query, operator }) {
      getEntity(queue.database, spaceOf(queue.database, query), fp_id);
      const name = requireOperator(operator);
      const claim = current(fp_id);
      if (claim !== undefined && claim.operator !== name) throw takenBy(claim);
      claimed.delete(fp_id);
    },
  };
}

function view({ operator, until }: Claimed): ClaimView {
  return { operator, until: timestamp(until) };
}

function requireOperator(operator: string | null): string {
  if (operator !== null) return operator;
  throw new ServiceError(
    'invalid_request',
    'A claim needs the header x-kyclone-operator, which names its operator',
  );
}

function takenBy({ operator, until }: Claimed): ServiceError {
  return new ServiceError(
    'conflict',
    `${operator} works on this case until ${timestamp(until)}: take_over takes it over`,
  );
}

export function claimHandlers(claims: Claims): Handlers<KeysUnder<'/_kyclone/entities/{fp_id}/claim'>> {
  return {
    'POST /_kyclone/entities/{fp_id}/claim': async (request) =>
      answer(await claims.claim(request, request.body?.take_over === true)),
    'DELETE /_kyclone/entities/{fp_id}/claim': (request) => {
      claims.release(request);
      return answer({});
    },
  };
}
