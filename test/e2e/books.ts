/**
 * A client's own records under load: what was acknowledged, and what was in flight when the daemon was killed or
 * refused. After the next start the two must agree: nothing acknowledged is missing, nothing is half stored, and the
 * access log verifies.
 */
import { Agent } from 'node:http';
import { expect } from 'vitest';
import type { Kycloned, Response } from '../support/kycloned.ts';
import { decrypt, listAll } from '../support/kycloned-calls.ts';

export const WRITERS = 8;

/** One writer's records about one user. Each write sets both fields to the same number. */
export interface Account {
  id: string | undefined;
  /** The last number that was acknowledged, and the vault version of that response. */
  acknowledged: { number: number; version: number } | undefined;
  /** The number of the write that was in flight when the daemon was killed. */
  pending: number | undefined;
}

export interface Books {
  readonly accounts: Account[];
  acknowledgements: number;
  decryptions: number;
}

const FIELDS = ['id.first_name', 'custom.number'];

export const newBooks = (): Books => ({ accounts: [], acknowledgements: 0, decryptions: 0 });

/** Runs work with connections that stay open until it ends. */
async function withAgent<T>(work: (agent: Agent) => Promise<T>): Promise<T> {
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  try {
    return await work(agent);
  } finally {
    agent.destroy();
  }
}

interface Load {
  /** Returns whether a write or read may be refused with this response. Without it, none may. */
  readonly mayRefuse?: (answer: Response) => boolean;
  /**
   * The number of writes after which this writer ends. Without it, a writer ends only when the daemon is gone or
   * refuses.
   */
  readonly writes?: number;
}

/** Creates and changes users until the daemon is gone, or refuses in a permitted way. */
export async function writeUntilGone(
  daemon: Kycloned,
  books: Books,
  { mayRefuse = () => false, writes = Infinity }: Load = {},
  agent?: Agent,
): Promise<void> {
  let account: Account | undefined;
  const through = agent && { agent };
  try {
    for (let number = 1; number <= writes; number++) {
      if (!account || number % 4 === 0) {
        account = { id: undefined, acknowledged: undefined, pending: undefined };
        books.accounts.push(account);
      }
      const body = { 'id.first_name': `Name ${number}`, 'custom.number': number };
      account.pending = number;
      const answer =
        account.id === undefined
          ? await daemon.call('POST', '/users', { ...through, body })
          : await daemon.call('PATCH', `/users/${account.id}/vault`, { ...through, body });
      if (answer.status !== 200) {
        if (!mayRefuse(answer)) throw new Error(`a write was answered with ${answer.status}: ${answer.text}`);
        // A write that is refused with 507 stores nothing. After any other refusal its outcome is unknown.
        if (answer.status === 507) account.pending = undefined;
        return;
      }
      if (account.id === undefined) account.id = answer.body['id'] as string;
      account.acknowledged = { number, version: Number(answer.headers['x-fp-vault-version']) };
      account.pending = undefined;
      books.acknowledgements += 1;
      if (number % 3 === 0) {
        const read = await decrypt(daemon, account.id, FIELDS, through);
        if (read.status !== 200) {
          if (!mayRefuse(read)) throw new Error(`a read was answered with ${read.status}`);
          return;
        }
        books.decryptions += 1;
      }
    }
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

/** Returns whether a call failed because its daemon was killed. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ECONNREFUSED' || code === 'EPIPE';
}

/** Runs several writers at once; settles when all of them have ended. */
export async function writeTogether(daemon: Kycloned, books: Books, load?: Load): Promise<void> {
  await withAgent((agent) =>
    Promise.all(Array.from({ length: WRITERS }, () => writeUntilGone(daemon, books, load, agent))),
  );
}

/** Checks the user's vault against the records. */
async function audit(daemon: Kycloned, account: Account, agent: Agent): Promise<void> {
  const { id, acknowledged, pending } = account;
  if (id === undefined || !acknowledged) return;
  const read = await decrypt(daemon, id, FIELDS, { agent });
  expect([id, read.status]).toEqual([id, 200]);
  const number = read.body['custom.number'] as number;
  // Both fields come from the same write.
  expect([id, read.body['id.first_name']]).toEqual([id, `Name ${number}`]);
  const isPending = pending !== undefined && number === pending;
  if (!isPending) expect([id, number]).toEqual([id, acknowledged.number]);
  const version = Number(read.headers['x-fp-vault-version']);
  expect([id, version]).toEqual([id, acknowledged.version + (isPending ? 1 : 0)]);
  account.acknowledged = { number, version };
  account.pending = undefined;
}

export async function auditAll(daemon: Kycloned, accounts: readonly Account[]): Promise<void> {
  const waiting = [...accounts];
  await withAgent(async (agent) => {
    const auditor = async () => {
      for (let account = waiting.pop(); account; account = waiting.pop()) await audit(daemon, account, agent);
    };
    await Promise.all(Array.from({ length: WRITERS }, auditor));
  });
}

/** Checks that the data of every other user is whole. Their creation was in flight and never acknowledged. */
async function auditUnanswered(daemon: Kycloned, books: Books, agent: Agent): Promise<void> {
  const known = new Set(books.accounts.flatMap(({ id }) => id ?? []));
  const all = await listAll<{ id: string }>((query) => daemon.call('GET', `/users${query}`, { agent }));
  const unknown = all.filter(({ id }) => !known.has(id));
  for (const { id } of unknown) {
    const read = await decrypt(daemon, id, FIELDS, { agent });
    expect([id, read.status]).toEqual([id, 200]);
    expect([id, read.body['id.first_name']]).toEqual([id, `Name ${read.body['custom.number'] as number}`]);
  }
}

export async function verifyLog(daemon: Kycloned, atLeast: number): Promise<void> {
  const { body } = await daemon.control('GET', '/_kyclone/access-log/verify');
  expect(body).toMatchObject({ ok: true, first_bad_seq: null });
  expect(body['checked']).toBeGreaterThanOrEqual(atLeast);
}

/** Checks all records against a daemon that was restarted after a failure. */
export async function auditBooks(daemon: Kycloned, books: Books): Promise<void> {
  await verifyLog(daemon, books.decryptions);
  await auditAll(daemon, books.accounts);
  await withAgent((agent) => auditUnanswered(daemon, books, agent));
  await verifyLog(daemon, books.decryptions);
}
