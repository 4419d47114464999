/** All SQL of owners. `business` and `user` are row ids of entities; times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';

export interface OwnerRow {
  readonly fp_id: string;
  /** Per cent. */
  readonly ownership_stake: number;
}

const SELECT = `SELECT fp_id, ownership_stake FROM owners JOIN entities ON entities.id = owners.user
  WHERE business = ? ORDER BY seq DESC`;

/** Newest first. */
export function listAllOwners(database: Database, business: number): OwnerRow[] {
  return statement<[number], OwnerRow>(SELECT).all(database, business);
}

/** Newest first; up to one more than `size`. */
export function listOwners(
  database: Database,
  business: number,
  page: { offset: number; size: number },
): OwnerRow[] {
  return statement<[number, number, number], OwnerRow>(`${SELECT} LIMIT ? + 1 OFFSET ?`).all(
    database,
    business,
    page.size,
    page.offset,
  );
}

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

/** Returns false when the user with this id is no owner of the business. */
export function deleteOwner(database: Database, owner: { business: number; fp_id: string }): boolean {
  const { changes } = statement<{ business: number; fp_id: string }>(
    'DELETE FROM owners WHERE business = @business AND user = (SELECT id FROM entities WHERE fp_id = @fp_id)',
  ).run(database, owner);
  return changes === 1;
}

/** Returns false when the user is an owner of the business already. */
export function insertOwner(
  database: Database,
  row: { business: number; user: number; ownership_stake: number; created_at: number },
): boolean {
  const { changes } = statement<{
    business: number;
    user: number;
    ownership_stake: number;
    created_at: number;
  }>(`INSERT INTO owners (business, user, ownership_stake, created_at)
     VALUES (@business, @user, @ownership_stake, @created_at) ON CONFLICT (business, user) DO NOTHING`).run(
    database,
    row,
  );
  return changes === 1;
}
