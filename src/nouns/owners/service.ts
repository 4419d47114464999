/** Beneficial owners of businesses (contract §10). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { offsetPage, pageSize } from '../../kernel/cursor.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { integer, joined, type RowOf, table, text } from '../../storage/table.ts';
import type { AccessCall } from '../../vault/access-entry.ts';
import { type EntityRow, findEntity, getEntity } from '../entities/service/index.ts';
import { answer, type Handlers, type KeysUnder, done } from '../handlers.ts';
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
  { from: 'owners JOIN entities ON entities.id = owners.user' },
);

type OwnerRow = Pick<RowOf<typeof OWNERS>, 'fp_id' | 'ownership_stake'>;

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

/** Returns false when the user is an owner of the business already. */
const insertOwner = OWNERS.insertNew;

export type Owner = AnswerOf<'GET /businesses/{fp_bid}/owners'>['data'][number];

export type Owners = ReturnType<typeof createOwners>;

const WHOLE_PER_CENT = 100;

export function createOwners({ queue, clock, acts }: Needs<'queue' | 'clock' | 'acts'>) {
  /** Returns false when the user is an owner already. Throws `invalid_request` for stakes over 100 per cent. */
  function insert(
    database: Database,
    business: EntityRow,
    { user, ownership_stake }: { readonly user: EntityRow; readonly ownership_stake: number },
  ): boolean {
    const others = sumOfStakes(database, business.id);
    const owner = { business: business.id, user: user.id, ownership_stake, created_at: clock.now() };
    if (!insertOwner(database, owner)) return false;
    if (others + ownership_stake <= WHOLE_PER_CENT) return true;
    throw invalid(
      `ownership_stake must be at most ${WHOLE_PER_CENT - others}: the other owners have ${others} per cent`,
    );
  }

  return {
    /** Newest first. */
    list(
      database: Database,
      business: EntityRow,
      { page = 0, page_size }: RequestOf<'GET /businesses/{fp_bid}/owners'>['query'],
    ): AnswerOf<'GET /businesses/{fp_bid}/owners'> {
      const size = pageSize(page_size);
      const rows = listOwners(database, business.id, { offset: page * size, size });
      return offsetPage(rows, { page, size, view: ownerView });
    },

    /** All of them, newest first. */
    all: (database: Database, business: EntityRow): Owner[] =>
      listAllOwners(database, business.id).map(ownerView),

    /** The businesses in which a user has a stake, newest first. */
    ofUser: (database: Database, user: EntityRow): { fp_bid: string; ownership_stake: number }[] =>
      listOwned(database, user.id),

    /**
     * Throws `invalid_request` for an unknown user of this tenant, one linked already, and stakes over 100 per cent in
     * total.
     */
    add: (
      business: EntityRow,
      { fp_id, ownership_stake, reason }: RequestOf<'POST /businesses/{fp_bid}/owners'>['body'],
      call: AccessCall,
    ): Promise<void> =>
      queue.write((database) => {
        const current = getEntity(database, business, business.fp_id, 'business');
        const user = findEntity(database, current, fp_id);
        if (user?.kind !== 'user') throw invalid('fp_id: no user has this id in this tenant and environment');
        if (!insert(database, current, { user, ownership_stake })) {
          throw invalid('fp_id: this user is an owner already');
        }
        const effect = `linked ${fp_id} with ${ownership_stake} per cent`;
        acts.record(database, call, current, { operation: 'owner', effect, reason });
      }),

    /** In a write job: links a user or changes an existing stake. Throws as `add` for stakes over 100 per cent. */
    link: (
      database: Database,
      business: EntityRow,
      owner: { readonly user: EntityRow; readonly ownership_stake: number },
    ): void => void insert(database, business, owner),

    /** Throws `not_found` for a user who is no owner of the business. */
    remove: (
      business: EntityRow,
      { fp_id, reason }: { readonly fp_id: string; readonly reason: string | undefined },
      call: AccessCall,
    ): Promise<void> =>
      queue.write((database) => {
        const current = getEntity(database, business, business.fp_id, 'business');
        if (deleteOwner(database, { business: current.id, fp_id }) === 0) {
          throw new ServiceError('not_found', 'This business has no owner with this id');
        }
        acts.record(database, call, current, { operation: 'owner', effect: `unlinked ${fp_id}`, reason });
      }),
  };
}

function ownerView({ fp_id, ownership_stake }: OwnerRow): OwnerRow {
  return { fp_id, ownership_stake };
}

export function ownerHandlers(context: {
  database: Database;
  owners: Owners;
}): Handlers<KeysUnder<'/businesses/{fp_bid}/owners'>> {
  const { database, owners } = context;
  return {
    'GET /businesses/{fp_bid}/owners': ({ entity, query }) => answer(owners.list(database, entity, query)),
    'POST /businesses/{fp_bid}/owners': ({ entity, body, ...call }) => done(owners.add(entity, body, call)),
    'DELETE /businesses/{fp_bid}/owners/{fp_id}': ({ entity, params, body, ...call }) =>
      done(owners.remove(entity, { fp_id: params.fp_id, reason: body?.reason }, call)),
  };
}
