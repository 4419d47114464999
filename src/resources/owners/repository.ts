/** All SQL of owners. `business` and `user` are row ids of entities; times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { integer, joined, table, text, type RowOf } from '../../storage/table.ts';

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

export type OwnerRow = Pick<RowOf<typeof OWNERS>, 'fp_id' | 'ownership_stake'>;

const OF_BUSINESS = 'WHERE business = ? ORDER BY seq DESC';

/** Newest first. */
export const listAllOwners = OWNERS.all<[business: number]>(OF_BUSINESS);
/** Newest first; up to one more than `size`. */
export const listOwners = OWNERS.offsetPage(OF_BUSINESS);

/** The businesses in which a user has a stake, newest first. */
export function listOwned(database: Database, user: number): { fp_bid: string; ownership_stake: number }[] {
  return statement<[number], { fp_bid: string; ownership_stake: number }>(
    `SELECT fp_id AS fp_bid, ownership_stake FROM owners JOIN entities ON entities.id = owners.business
     WHERE user = ? ORDER BY seq DESC`,
  ).all(database, user);
}

/** The sum of all owners' stakes, per cent. */
export function sumOfStakes(database: Database, business: number): number {
  return scalarStatement<[number], number>(
    'SELECT total(ownership_stake) FROM owners WHERE business = ?',
  ).one(database, business);
}

/** Returns 0 when the user with this id is no owner of the business. */
export const deleteOwner = OWNERS.delete<{ business: number; fp_id: string }>(
  'business = @business AND user = (SELECT id FROM entities WHERE fp_id = @fp_id)',
);

/** Returns false when the user is an owner of the business already. */
export const insertOwner = OWNERS.insertNew;
