/**
 * Authenticates a set incrementally: adds up the keyed seals of its members bit by bit, and seals their number and sum.
 * Without the key nobody can add or remove a member. An old sum only matches the members of that time.
 */
import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../storage/database.ts';
import { hmac } from '../hmac.ts';
import { findValue, putValue } from './repository.ts';
import { grantKey, notOurs } from './row-seals.ts';

interface Sum {
  readonly count: number;
  readonly bits: Buffer;
}

const BYTES = 32;

/** Call it in the write job that adds or removes the member. Throws `vault_damaged` when the sum isn't ours. */
export function addToSum(database: Database, name: string, member: string, change?: 'taken out'): void {
  const { count, bits } = readSum(database, name);
  addTo(bits, sealOfMember(database, name, member));
  store(database, name, { count: count + (change === 'taken out' ? -1 : 1), bits });
}

/** Starts the sum over exactly these members. */
export function startSum(database: Database, name: string, members: readonly string[]): void {
  store(database, name, sumOf(database, name, members));
}

/** Throws `vault_damaged` unless these are exactly the members of the sum. */
export function requireSum(database: Database, name: string, members: readonly string[]): void {
  const known = readSum(database, name);
  const { count, bits } = sumOf(database, name, members);
  if (known.count !== count || !timingSafeEqual(known.bits, bits)) throw notOurs(`list of ${name}`);
}

function sumOf(database: Database, name: string, members: readonly string[]): Sum {
  const bits = Buffer.alloc(BYTES);
  for (const member of members) addTo(bits, sealOfMember(database, name, member));
  return { count: members.length, bits };
}

function addTo(bits: Buffer, seal: Buffer): void {
  for (let index = 0; index < BYTES; index++) bits[index] = (bits[index] ?? 0) ^ (seal[index] ?? 0);
}

function sealOfMember(database: Database, name: string, member: string): Buffer {
  return hmac(grantKey(database), `member of ${name} ${member}`);
}

function readSum(database: Database, name: string): Sum {
  const [count = '', bits = '', seal = ''] = (findValue(database, name) ?? '').split(' ');
  const sum = { count: Number(count), bits: Buffer.from(bits, 'hex') };
  const stored = Buffer.from(seal, 'hex');
  const isOurs = stored.length === BYTES && timingSafeEqual(stored, sealOfSum(database, name, sum));
  if (!isOurs || sum.bits.length !== BYTES) throw notOurs(`list of ${name}`);
  return sum;
}

function store(database: Database, name: string, sum: Sum): void {
  const seal = sealOfSum(database, name, sum).toString('hex');
  putValue(database, name, `${sum.count} ${sum.bits.toString('hex')} ${seal}`);
}

function sealOfSum(database: Database, name: string, { count, bits }: Sum): Buffer {
  return hmac(grantKey(database), `sum of ${name} ${count} ${bits.toString('hex')}`);
}
