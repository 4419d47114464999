/** Beneficial owners of businesses (contract §10). */
import type { AnswerOf } from '../../contract/registry.ts';
import { offsetPage, offsetPlace } from '../cursor.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { integer, joined, table, text } from '../../storage/table.ts';
import { type EntityRow, findEntity, getEntity } from '../entities/service/index.ts';
import { answer, type Handlers, type KeysUnder, doneWriting } from '../handlers.ts';
import type { Needs } from '../needs.ts';

// All SQL of owners. `business` and `user` are row ids of entities; times are epoch milliseconds.

const OWNERS = table(
  'owners',
  {
    business: integer,
    user: integer,
    /** Per cent. */
    ownership_stake: integer,
    created_at: integer,
    fp_id: joined('entities.fp_id', text),
  },
  { key: ['business', 'user'], from: 'owners LEFT JOIN entities ON entities.id = owners.user' },
);

const OF_BUSINESS = 'WHERE business = ? ORDER BY seq DESC';

/** Newest first. */
const listAllOwners = OWNERS.all<[business: number]>(OF_BUSINESS);
/** Newest first; up to one more than `size`. */
const listOwners = OWNERS.offsetPage(OF_BUSINESS);

/** The businesses in which a user has a stake, newest first. */
const listOwned = statement<
  [user: number],
  { fp_bid: string; ownership_stake: number }
>(`SELECT fp_id AS fp_bid, ownership_stake FROM owners JOIN entities ON entities.id = owners.business
     WHERE user = ? ORDER BY seq DESC`).all;

/** The sum of all owners' stakes, per cent. */
const sumOfStakes = scalarStatement<[business: number], number>(
  'SELECT total(ownership_stake) FROM owners WHERE business = ?',
).one;

/** Returns 0 when the user with this id is no owner of the business. */
const deleteOwner = OWNERS.delete<{ business: number; fp_id: string }>(
  'business = @business AND user = (SELECT id FROM entities WHERE fp_id = @fp_id)',
);

type Owner = AnswerOf<'GET /businesses/{fp_bid}/owners'>['data'][number];

export type Owners = ReturnType<typeof createOwners>;

const WHOLE_PER_CENT = 100;

export function createOwners({ queue, clock, acts }: Needs<'queue' | 'clock' | 'acts'>) {
  interface NewStake {
    readonly user: EntityRow;
    readonly ownership_stake: number;
  }

  /** Returns false when the user is an owner already. Throws `invalid_request` for stakes over 100 per cent. */
  function insert(database: Database, business: EntityRow, { user, ownership_stake }: NewStake): boolean {
    const owner = { business: business.id, user: user.id, ownership_stake, created_at: clock.now() };
    if (!OWNERS.insertNew(database, owner)) return false;
    requireRoom(database, business, ownership_stake);
    return true;
  }

  /** Call it after the stake was written. */
  function requireRoom(database: Database, business: EntityRow, ownership_stake: number): void {
    const others = sumOfStakes(database, business.id) - ownership_stake;
    if (others + ownership_stake <= WHOLE_PER_CENT) return;
    throw invalid(
      `ownership_stake must be at most ${WHOLE_PER_CENT - others}: the other owners have ${others} per cent`,
    );
  }

  return {
    /** All of them, newest first. */
    all: (database: Database, business: EntityRow): Owner[] =>
      listAllOwners(database, business.id).map(ownerView),

    /** The businesses in which a user has a stake, newest first. */
    ofUser: (database: Database, user: EntityRow): { fp_bid: string; ownership_stake: number }[] =>
      listOwned(database, user.id),

    /** In a write job: links a user or changes its stake. Throws `invalid_request` for stakes over 100 per cent. */
    link(database: Database, business: EntityRow, owner: NewStake): void {
      if (insert(database, business, owner)) return;
      const { user, ownership_stake } = owner;
      OWNERS.set(database, { business: business.id, user: user.id }, { ownership_stake });
      requireRoom(database, business, ownership_stake);
    },

    handlers: {
      'GET /businesses/{fp_bid}/owners': ({ entity, query }) => {
        const place = offsetPlace(query);
        return answer(
          offsetPage(listOwners(queue.database, entity.id, place), { ...place, view: ownerView }),
        );
      },

      'POST /businesses/{fp_bid}/owners': ({ entity, body: { fp_id, ownership_stake, reason }, ...call }) =>
        doneWriting(queue, (database) => {
          const current = getEntity(database, entity, entity.fp_id, 'business');
          const user = findEntity(database, current, fp_id);
          if (user?.kind !== 'user')
            throw invalid('fp_id: no user has this id in this tenant and environment');
          if (!insert(database, current, { user, ownership_stake })) {
            throw invalid('fp_id: this user is an owner already');
          }
          const effect = `linked ${fp_id} with ${ownership_stake} per cent`;
          acts.record(database, call, current, { operation: 'owner', effect, reason });
        }),

      'DELETE /businesses/{fp_bid}/owners/{fp_id}': ({ entity, params: { fp_id }, body, ...call }) =>
        doneWriting(queue, (database) => {
          const current = getEntity(database, entity, entity.fp_id, 'business');
          if (deleteOwner(database, { business: current.id, fp_id }) === 0) {
            throw new ServiceError('not_found', 'This business has no owner with this id');
          }
          const act = { operation: 'owner', effect: `unlinked ${fp_id}`, reason: body?.reason } as const;
          acts.record(database, call, current, act);
        }),
    } satisfies Handlers<KeysUnder<'/businesses/{fp_bid}/owners'>>,
  };
}

function ownerView({ fp_id, ownership_stake }: Owner): Owner {
  return { fp_id, ownership_stake };
}
