/**
 * R1: kill -9 while files are uploaded and deleted. The client records what was acknowledged and what was in flight.
 * After each restart the two must agree: every acknowledged file reads back byte for byte, no half file is visible, and
 * the folder of files holds exactly the files that the store names.
 */
import { Agent } from 'node:http';
import { expect } from 'vitest';
import { isGone } from '../../e2e/books.ts';
import {
  BACK,
  bytesOf,
  decrypted,
  deleteFromVault,
  drafts,
  expectNoOrphans,
  expectSame,
  filesFolder,
  filesInStore,
  FRONT,
  upload,
} from '../../e2e/file-calls.ts';
import { startKycloned, tempDir, until, type Kycloned } from '../../support/kycloned.ts';
import { aUser } from '../../support/kycloned-calls.ts';
import type { Run, TorturePromise } from '../promise.ts';

const KILLS_PER_ROUND = 4;
const UPLOADERS = 8;
/** One byte, a chunk, one byte more than a chunk, and sizes that take the daemon many writes. */
const SIZES = [1, 65_536, 65_537, 200_000, 500_000, 1_000_000];
const SLOTS = [FRONT, BACK, 'custom.contract', 'document.custom.lease'];

/** One upload. Its content follows from its number. */
interface Upload {
  readonly identifier: string;
  readonly number: number;
}

/** The records about one user, to whom one uploader uploads one file after another. */
interface Account {
  readonly id: string;
  /** The token for uploads of every second file. */
  readonly token: string;
  /** Acknowledged uploads in order: the n-th is version n + 1 of the vault. */
  readonly acknowledged: Upload[];
  /** The upload that was in flight when the daemon was killed. */
  pending: Upload | undefined;
}

const contentOf = (account: Account, { number }: Upload) =>
  bytesOf(`${account.id} ${number}`, SIZES[number % SIZES.length] ?? 1);

async function anAccount(daemon: Kycloned): Promise<Account> {
  const id = await aUser(daemon);
  const body = { scope: 'vault', fields: SLOTS, ttl: 3_600 };
  const minted = await daemon.call('POST', `/users/${id}/client_token`, { body });
  expect(minted.status, minted.text).toBe(200);
  return { id, token: minted.body['token'] as string, acknowledged: [], pending: undefined };
}

/** Uploads to one user until the daemon is gone. */
async function uploadUntilGone(
  daemon: Kycloned,
  account: Account,
  { agent, onAcknowledged }: { agent: Agent; onAcknowledged: () => void },
): Promise<void> {
  for (;;) {
    const number = account.acknowledged.length + 1;
    const next: Upload = { identifier: SLOTS[(number * 7) % SLOTS.length] ?? FRONT, number };
    account.pending = next;
    const target = { fp_id: account.id, identifier: next.identifier };
    const credential = number % 2 === 0 ? { token: account.token } : {};
    const answer = await unlessGone(
      upload(daemon, { ...target, ...credential }, contentOf(account, next), { agent }),
    );
    if (!answer) return;
    expect([answer.status, answer.code]).toEqual([200, undefined]);
    expect(Number(answer.headers['x-fp-vault-version'])).toBe(number);
    account.acknowledged.push(next);
    account.pending = undefined;
    onAcknowledged();
  }
}

/** Returns the response, or undefined when the connection broke before the response was complete. */
async function unlessGone<T extends { isWhole: boolean }>(answer: Promise<T>): Promise<T | undefined> {
  try {
    const come = await answer;
    return come.isWhole ? come : undefined;
  } catch (error) {
    if (!isGone(error)) throw error;
    return undefined;
  }
}

/** Checks the user's vault against the records: every version of every file, and the current one. */
async function audit(daemon: Kycloned, account: Account, uploads: readonly Upload[]): Promise<void> {
  const { id } = account;
  for (const each of uploads) {
    const [stored] = await decrypted(daemon, id, `${each.identifier}:${each.number}`);
    expectSame(stored, contentOf(account, each), `${id} ${each.number}`);
  }
  for (const identifier of SLOTS) {
    const last = account.acknowledged.findLast((each) => each.identifier === identifier);
    const [current] = await decrypted(daemon, id, identifier);
    if (last) expectSame(current, contentOf(account, last), `${id} ${identifier}`);
    else expect([id, identifier, current]).toEqual([id, identifier, undefined]);
  }
}

/** Checks that the upload in flight at the kill is stored whole, as the next version, or not at all. */
async function settlePending(daemon: Kycloned, account: Account): Promise<void> {
  const { id, acknowledged, pending } = account;
  const { headers } = await daemon.call('GET', `/users/${id}/vault`);
  const version = Number(headers['x-fp-vault-version']);
  if (pending && version === acknowledged.length + 1) acknowledged.push(pending);
  expect([id, version]).toEqual([id, acknowledged.length]);
  account.pending = undefined;
}

/** Checks that the user's documents come from its uploads, each image under the version that stored it. */
async function auditDocuments(daemon: Kycloned, account: Account): Promise<void> {
  const { body, status } = await daemon.call('GET', `/users/${account.id}/documents`);
  expect(status).toBe(200);
  const records = Object.values(body) as {
    images: Record<string, { identifier: string; version: number }>;
  }[];
  const images = records.flatMap((record) => Object.values(record.images));
  const stored = account.acknowledged.filter(({ identifier }) => identifier.startsWith('document.'));
  expect(images.map(({ identifier, version }) => `${identifier}:${version}`).sort()).toEqual(
    stored.map(({ identifier, number }) => `${identifier}:${number}`).sort(),
  );
}

/** Uploads to the newest accounts, and kills the daemon while files are being written. */
async function killWhileUploading(daemon: Kycloned, accounts: readonly Account[], enough: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: UPLOADERS });
  let acknowledged = 0;
  const uploaders = accounts.map((account) =>
    uploadUntilGone(daemon, account, { agent, onAcknowledged: () => (acknowledged += 1) }),
  );
  await Promise.race([Promise.all(uploaders), until('enough is uploaded', () => acknowledged >= enough)]);
  await until('a file is being written', () => drafts(filesFolder(daemon)).length > 0);
  await daemon.stop('SIGKILL');
  const cutOff = drafts(filesFolder(daemon)).length;
  await Promise.all(uploaders);
  agent.destroy();
  return { acknowledged, cutOff };
}

/** Removes users and their files until the daemon is killed. Returns the users whose removal was acknowledged. */
async function killWhileRemoving(daemon: Kycloned, accounts: readonly Account[], enough: number) {
  const gone: Account[] = [];
  const removals = accounts.map(async (account, index) => {
    const removal =
      index % 2 === 0
        ? daemon.call('DELETE', `/users/${account.id}`)
        : deleteFromVault(daemon, account.id, { delete_all: true, purge: true });
    const answer = await removal.catch(() => undefined);
    if (!answer) return;
    expect(answer.status, answer.text).toBe(200);
    gone.push(account);
  });
  await until('some are removed', () => gone.length >= enough);
  await daemon.stop('SIGKILL');
  await Promise.all(removals);
  return gone;
}

export const killUploads: TorturePromise = {
  id: 'R1',
  name: 'kill-uploads',
  says: 'kill -9 while files are uploaded and deleted: every acknowledged file is stored, and no other',
  async *rounds({ random, count }: Run) {
    for (;;) {
      const home = tempDir();
      const accounts: Account[] = [];
      for (let kill = 0; kill < KILLS_PER_ROUND; kill++) {
        const daemon = await startKycloned({ home });
        expectNoOrphans(daemon);
        for (const account of accounts) {
          await settlePending(daemon, account);
          await audit(daemon, account, account.acknowledged.slice(-3));
        }
        while (accounts.length < UPLOADERS) accounts.push(await anAccount(daemon));
        // The first kill comes before anything is acknowledged.
        const enough = kill === 0 ? 0 : random.between(1, 3 * UPLOADERS);
        const { acknowledged, cutOff } = await killWhileUploading(daemon, accounts, enough);
        count('uploads', acknowledged);
        count('cut-off files', cutOff);
      }
      const daemon = await startKycloned({ home });
      expectNoOrphans(daemon);
      for (const account of accounts) {
        await settlePending(daemon, account);
        await audit(daemon, account, account.acknowledged);
        await auditDocuments(daemon, account);
      }
      const gone = await killWhileRemoving(daemon, accounts, random.between(1, UPLOADERS - 1));
      count('removals', gone.length);
      const next = await startKycloned({ home });
      expectNoOrphans(next);
      const kept = filesInStore(next);
      for (const { id } of gone) expect(kept.map(({ fp_id }) => fp_id)).not.toContain(id);
      for (const account of accounts.filter(({ id }) => kept.some(({ fp_id }) => fp_id === id))) {
        await audit(next, account, account.acknowledged);
      }
      await next.stop('SIGKILL');
      yield;
    }
  },
};
