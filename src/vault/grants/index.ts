/**
 * Seals of the rows that grant something, and of sets of them. Authenticates a set incrementally: adds up the keyed digests of its members as numbers of 1,024 bits, and seals their
 * count and sum. Without the key nobody can add or remove a member. An old sum only matches the members of that time:
 * who knows the digests from earlier sums would have to find other members whose numbers have the same sum. (By
 * exclusive or, as before, that is a system of linear equations.)
 */
import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../storage/database.ts';
import { findValue, deleteValue, putValue } from '../../storage/instance-values.ts';
import { hmac } from '../hmac.ts';
import { listRows, updateSeal } from './repository.ts';
import {
  requireEarlierSeal,
  sealOf,
  SETTINGS,
  storeSettings,
  updateGrantList,
  grantKey,
  notOurs,
} from './row-seals.ts';
import { GRANT_TABLES, GRANTS, type Grant, type GrantTable, type SealGeneration } from './tables.ts';

interface Sum {
  readonly count: number;
  /** In hexadecimal digits. */
  readonly total: string;
}

const DIGEST_BITS = 256;
const BITS = 1024;
const DIGITS = BITS / 4;
const HEX = /^[0-9a-f]+$/;

/** Call it in the write job that adds or removes the member. Throws `vault_damaged` when the sum isn't ours. */
export function addToSum(database: Database, name: string, member: string, change?: 'taken out'): void {
  const { count, total } = readSum(database, name);
  const [sign, one] = change === 'taken out' ? [-1n, -1] : [1n, 1];
  const next = numberOf(total) + sign * numberOfMember(database, name, member);
  store(database, name, { count: count + one, total: textOf(next) });
}

/** Starts the sum over exactly these members. */
export function startSum(database: Database, name: string, members: readonly string[]): void {
  store(database, name, sumOf(database, name, members));
}

/** Throws `vault_damaged` unless these are exactly the members of the sum. */
export function requireSum(database: Database, name: string, members: readonly string[]): void {
  const sum = beginSum(database, name);
  sum.add(members);
  sum.require();
}

interface SumCheck {
  add(members: readonly string[]): void;
  /** Whether no member was added or taken out since the beginning. */
  isStill(): boolean;
  /** Throws `vault_damaged` unless exactly the members that it had at the beginning were added. */
  require(): void;
}

/** Checks members that are read in slices. */
export function beginSum(database: Database, name: string): SumCheck {
  const text = () => findValue(database, name);
  const atFirst = text();
  const known = readSum(database, name);
  let [count, total] = [0, 0n];
  return {
    add(members) {
      for (const member of members) total += numberOfMember(database, name, member);
      count += members.length;
    },
    isStill: () => text() === atFirst,
    require() {
      const isOurs = known.total.length === DIGITS && isEqual(known, { count, total: textOf(total) });
      if (!isOurs) throw foreign(name);
    },
  };
}

/** The same for a sum of an earlier version. */
export function requireEarlierSum(database: Database, name: string, members: readonly string[]): void {
  const known = readSum(database, name);
  if (known.total.length === DIGITS) requireSum(database, name, members);
  else if (!isEqual(known, earlierSumOf(database, name, members))) throw foreign(name);
}

function isEqual(one: Sum, other: Sum): boolean {
  const [known, total] = [Buffer.from(one.total, 'hex'), Buffer.from(other.total, 'hex')];
  return one.count === other.count && known.length === total.length && timingSafeEqual(known, total);
}

function sumOf(database: Database, name: string, members: readonly string[]): Sum {
  const total = members.reduce((sum, member) => sum + numberOfMember(database, name, member), 0n);
  return { count: members.length, total: textOf(total) };
}

/** The exclusive or of one digest for each member. */
function earlierSumOf(database: Database, name: string, members: readonly string[]): Sum {
  const digests = members.map((member) => numberOf(digestOfMember(database, name, member)));
  const bits = digests.reduce((one, other) => one ^ other, 0n);
  return { count: members.length, total: bits.toString(16).padStart(DIGEST_BITS / 4, '0') };
}

function numberOfMember(database: Database, name: string, member: string): bigint {
  const parts = Array.from({ length: BITS / DIGEST_BITS }, (_, part) =>
    digestOfMember(database, `${name}, part ${part},`, member),
  );
  return numberOf(parts.join(''));
}

function digestOfMember(database: Database, name: string, member: string): string {
  return hmac(grantKey(database), `member of ${name} ${member}`).toString('hex');
}

function numberOf(digits: string): bigint {
  return BigInt(`0x${digits}`);
}

function textOf(number: bigint): string {
  return BigInt.asUintN(BITS, number).toString(16).padStart(DIGITS, '0');
}

function readSum(database: Database, name: string): Sum {
  const [count = '', total = '', seal = ''] = (findValue(database, name) ?? '').split(' ');
  const sum = { count: Number(count), total };
  const [stored, expected] = [Buffer.from(seal, 'hex'), sealOfSum(database, name, sum)];
  if (HEX.test(total) && stored.length === expected.length && timingSafeEqual(stored, expected)) return sum;
  throw foreign(name);
}

function store(database: Database, name: string, sum: Sum): void {
  putValue(database, name, `${sum.count} ${sum.total} ${sealOfSum(database, name, sum).toString('hex')}`);
}

function sealOfSum(database: Database, name: string, { count, total }: Sum): Buffer {
  return hmac(grantKey(database), `sum of ${name} ${count} ${total}`);
}

function foreign(name: string) {
  return notOurs(`list of ${name}`);
}

// Notes whether snapshots beside the store still need seals: those of an older vault, until each has its own. The note
// is authenticated.

const NAME = 'unsealed snapshots';

export function noteUnsealedSnapshots(database: Database): void {
  putValue(database, NAME, mac(database).toString('hex'));
}

export function hasUnsealedSnapshots(database: Database): boolean {
  const stored = Buffer.from(findValue(database, NAME) ?? '', 'hex');
  const expected = mac(database);
  return stored.length === expected.length && timingSafeEqual(stored, expected);
}

export function forgetUnsealedSnapshots(database: Database): void {
  deleteValue(database, NAME);
}

function mac(database: Database): Buffer {
  return hmac(grantKey(database), NAME);
}

export {
  checkGrantList,
  damagedRow,
  findSettings,
  isSealed,
  requireSeal,
  rowSeal,
  sealOf,
  storeSettings,
  updateGrantList,
  useGrantKey,
} from './row-seals.ts';
export { NEWEST_SEALS, type GrantRow, type GrantTable, type SealGeneration } from './tables.ts';

// Adds seals to the rows of an older store that has none, or not all of them.

const ROWS_AT_A_TIME = 1000;
const BEFORE_ALL = { rowid: 0, digest: new Uint8Array() };

/**
 * Runs in the transaction that marks the vault as fully sealed. Throws `vault_damaged` for a row that differs from its
 * existing seal.
 */
export function sealExistingRows(database: Database, from: SealGeneration): void {
  for (const table of GRANT_TABLES) {
    if (GRANTS[table].since > from || isSealedAnew(table, from)) sealTable(database, table, from);
  }
  if (from > 0) return;
  const settings = findValue(database, SETTINGS);
  if (settings === undefined) updateGrantList(database);
  else storeSettings(database, settings);
}

/** Whether its seals of that generation cover fewer columns than now. */
function isSealedAnew(table: GrantTable, from: SealGeneration): boolean {
  const { before }: Grant = GRANTS[table];
  return before !== undefined && from < before.generation;
}

function sealTable(database: Database, table: GrantTable, from: SealGeneration): void {
  let after: number | Uint8Array = BEFORE_ALL[GRANTS[table].key];
  for (;;) {
    const rows = listRows(database, table, { after, limit: ROWS_AT_A_TIME });
    for (const row of rows) {
      if (GRANTS[table].since <= from) requireEarlierSeal(database, table, row, row.seal);
      updateSeal(database, table, row.row, sealOf(database, table, row));
    }
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_A_TIME) return;
    after = last.row;
  }
}
