/**
 * kill -9 a hundred times under write load. The client keeps its own books: what was acknowledged, and what was under
 * way. After each restart the two must agree: nothing acknowledged is missing, nothing is half there, the access log
 * verifies.
 */
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { startKycloned, tempDir, until, type Kycloned } from '../support/kycloned.ts';

const KILLS = 100;
const WRITERS = 8;
const LEAST_ACKNOWLEDGED_PER_ROUND = 10;
const LIMIT_MS = 240_000;

/** One writer's books on one user. Each write sets both fields to the same number. */
interface Account {
  id: string | undefined;
  /** The last number that was acknowledged, with the vault version that was answered. */
  acknowledged: { number: number; version: number } | undefined;
  /** The number of the write that was under way when the daemon was killed. */
  pending: number | undefined;
}

interface Books {
  readonly accounts: Account[];
  acknowledgements: number;
  decryptions: number;
}

function decrypt(daemon: Kycloned, id: string, agent: Agent) {
  const body = { fields: ['id.first_name', 'custom.number'], reason: 'a test' };
  return daemon.call('POST', `/users/${id}/vault/decrypt`, { agent, body });
}

/** Makes users and changes them until the daemon is gone. */
async function writeUntilGone(daemon: Kycloned, books: Books, agent: Agent): Promise<void> {
  let number = 0;
  let account: Account | undefined;
  try {
    for (;;) {
      number += 1;
      if (!account || number % 4 === 0) {
        account = { id: undefined, acknowledged: undefined, pending: undefined };
        books.accounts.push(account);
      }
      const body = { 'id.first_name': `Name ${number}`, 'custom.number': number };
      account.pending = number;
      const answer =
        account.id === undefined
          ? await daemon.call('POST', '/users', { agent, body })
          : await daemon.call('PATCH', `/users/${account.id}/vault`, { agent, body });
      if (answer.status !== 200)
        throw new Error(`a write was answered with ${answer.status}: ${answer.text}`);
      if (account.id === undefined) account.id = answer.body['id'] as string;
      account.acknowledged = { number, version: Number(answer.headers['x-fp-vault-version']) };
      account.pending = undefined;
      books.acknowledgements += 1;
      if (number % 3 === 0) {
        const read = await decrypt(daemon, account.id, agent);
        if (read.status !== 200) throw new Error(`a read was answered with ${read.status}`);
        books.decryptions += 1;
      }
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ECONNRESET' && code !== 'ECONNREFUSED' && code !== 'EPIPE') throw error;
  }
}

/** The user's vault against the books on it. */
async function audit(daemon: Kycloned, account: Account, agent: Agent): Promise<void> {
  const { id, acknowledged, pending } = account;
  if (id === undefined || !acknowledged) return;
  const read = await decrypt(daemon, id, agent);
  expect([id, read.status]).toEqual([id, 200]);
  const number = read.body['custom.number'] as number;
  // Both fields of one write, or neither.
  expect([id, read.body['id.first_name']]).toEqual([id, `Name ${number}`]);
  const isPending = pending !== undefined && number === pending;
  if (!isPending) expect([id, number]).toEqual([id, acknowledged.number]);
  const version = Number(read.headers['x-fp-vault-version']);
  expect([id, version]).toEqual([id, acknowledged.version + (isPending ? 1 : 0)]);
  account.acknowledged = { number, version };
  account.pending = undefined;
}

async function auditAll(daemon: Kycloned, accounts: readonly Account[], agent: Agent): Promise<void> {
  const waiting = [...accounts];
  const auditor = async () => {
    for (let account = waiting.pop(); account; account = waiting.pop()) await audit(daemon, account, agent);
  };
  await Promise.all(Array.from({ length: WRITERS }, auditor));
}

/** Every user there is, also those whose creation was never answered: their data is whole. */
async function auditUnanswered(daemon: Kycloned, known: ReadonlySet<string>, agent: Agent): Promise<number> {
  let found = 0;
  let cursor = '';
  do {
    const { body } = await daemon.call('GET', `/users?page_size=100${cursor}`, { agent });
    for (const { id } of body['data'] as { id: string }[]) {
      if (known.has(id)) continue;
      found += 1;
      const read = await decrypt(daemon, id, agent);
      expect([id, read.status]).toEqual([id, 200]);
      expect([id, read.body['id.first_name']]).toEqual([id, `Name ${read.body['custom.number'] as number}`]);
      known = new Set([...known, id]);
    }
    const { next } = body['meta'] as { next: string | null };
    cursor = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== '');
  return found;
}

async function verifyLog(daemon: Kycloned, atLeast: number): Promise<void> {
  const { body } = await daemon.control('GET', '/_kyclone/access-log/verify');
  expect(body).toMatchObject({ ok: true, first_bad_seq: null });
  expect(body['checked']).toBeGreaterThanOrEqual(atLeast);
}

test(
  `kill -9: ${KILLS} times under write load, no acknowledged write is lost and the access log verifies`,
  { timeout: LIMIT_MS },
  async () => {
    const home = tempDir();
    const books: Books = { accounts: [], acknowledgements: 0, decryptions: 0 };
    for (let round = 0; round < KILLS; round++) {
      const daemon = await startKycloned({ home });
      const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
      await verifyLog(daemon, books.decryptions);
      await auditAll(daemon, books.accounts.slice(-3 * WRITERS), agent);
      const before = books.acknowledgements;
      const writers = Array.from({ length: WRITERS }, () => writeUntilGone(daemon, books, agent));
      const enough = before + LEAST_ACKNOWLEDGED_PER_ROUND + (round % 7) * 5;
      await Promise.race([
        Promise.all(writers),
        until('enough is written', () => books.acknowledgements >= enough),
      ]);
      await daemon.stop('SIGKILL');
      await Promise.all(writers);
      agent.destroy();
    }
    const daemon = await startKycloned({ home });
    const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
    await verifyLog(daemon, books.decryptions);
    await auditAll(daemon, books.accounts, agent);
    const known = new Set(books.accounts.flatMap(({ id }) => id ?? []));
    await auditUnanswered(daemon, known, agent);
    await verifyLog(daemon, books.decryptions);
    expect(books.acknowledgements).toBeGreaterThanOrEqual(KILLS * LEAST_ACKNOWLEDGED_PER_ROUND);
    agent.destroy();
  },
);

test(
  'kill -9: during the first start, again and again, the next one makes or opens the vault',
  { timeout: LIMIT_MS },
  async () => {
    const { launch } = await import('../support/kycloned.ts');
    const { existsSync } = await import('node:fs');
    for (const stage of [
      'lockFile',
      'storeFile',
      'vaultKeyFile',
      'credentialsFile',
      'locatorFile',
    ] as const) {
      const home = tempDir();
      const cut = launch({ home });
      await until(`${stage} is there`, () => existsSync(cut.paths[stage]));
      cut.process.kill('SIGKILL');
      await cut.ended;
      const daemon = await startKycloned({ home });
      expect((await daemon.control('GET', '/_kyclone/access-log/verify')).body).toMatchObject({ ok: true });
      const made = await daemon.call('POST', '/users', { body: { 'id.first_name': 'Jane' } });
      expect([stage, made.status]).toEqual([stage, 200]);
      await daemon.stop('SIGKILL');
    }
  },
);
