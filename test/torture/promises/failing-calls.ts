/** R1, R2, R3: the n-th fsync, write or truncate fails, and those after it, or the daemon is killed in it. */
import { auditBooks, isGone, newBooks, writeTogether, type Books } from '../../e2e/books.ts';
import { bytesOf, FRONT, upload } from '../../e2e/file-calls.ts';
import { launch, startKycloned, tempDir, type Kycloned, type Response } from '../../support/kycloned.ts';
import type { Run, TorturePromise } from '../promise.ts';
import { inject, underInjection, type Injection } from '../strace.ts';

const WRITES_EACH = 10;
const FURTHEST_CALL_OF_START = 60;
const FILE_BYTES = 100_000;

/**
 * Returns whether a response is one that a write may have on a failing disk: either nothing is stored, or the outcome
 * is reported as unknown.
 */
export function isStorageRefusal({ status, body }: Response): boolean {
  if (status === 500) return String(body['message']).includes('outcome is unknown');
  return status === 503 || status === 507;
}

/** Returns `isStorageRefusal`, which counts what it finds. */
export const countingRefusals = (count: Run['count']) => (answer: Response) => {
  const isRefused = isStorageRefusal(answer);
  if (isRefused) count('refusals');
  return isRefused;
};

/** Writes until a write is refused or all are done, and checks that reads work in either case. */
async function writeAndRead(daemon: Kycloned, books: Books, count: Run['count']): Promise<void> {
  const mayRefuse = countingRefusals(count);
  const writing = writeTogether(daemon, books, { mayRefuse, writes: WRITES_EACH });
  const asking = Promise.all([uploadAndDelete(daemon, mayRefuse), saveSnapshot(daemon, mayRefuse)]);
  await Promise.all([writing, asking.catch(unlessGone)]);
  if (daemon.process.exitCode !== null || daemon.process.signalCode !== null) return;
  const read = await daemon.call('GET', '/users').catch(() => undefined);
  if (read && read.status !== 200) throw new Error(`reading ended: ${read.status} ${read.text}`);
}

type MayRefuse = (answer: Response) => boolean;

function unlessGone(error: unknown): void {
  if (!isGone(error)) throw error;
}

function expectAnswer(answer: Response, mayRefuse: MayRefuse): void {
  if (answer.status !== 200 && !mayRefuse(answer)) throw new Error(`${answer.status} ${answer.text}`);
}

/** Stores a file and deletes a user with a file. These calls truncate the log and rename files. */
async function uploadAndDelete(daemon: Kycloned, mayRefuse: MayRefuse): Promise<void> {
  const made = await daemon.call('POST', '/users', {
    body: { 'id.first_name': 'Name 0', 'custom.number': 0 },
  });
  expectAnswer(made, mayRefuse);
  if (made.status !== 200) return;
  const fp_id = made.body['id'] as string;
  const stored = await upload(daemon, { fp_id, identifier: FRONT }, bytesOf(fp_id, FILE_BYTES));
  const { status, bytes } = stored;
  if (status !== 200 && ![500, 503, 507].includes(status)) throw new Error(`${status} ${bytes.toString()}`);
  expectAnswer(await daemon.call('DELETE', `/users/${fp_id}`), mayRefuse);
}

async function saveSnapshot(daemon: Kycloned, mayRefuse: MayRefuse): Promise<void> {
  const path = '/_kyclone/snapshots/torture?overwrite=true';
  expectAnswer(await daemon.control('PUT', path), mayRefuse);
}

/**
 * Starts the daemon under the fault. It becomes ready, refuses with a message and an exit code, or is killed by the
 * fault.
 */
async function startUnder(home: string, injection: Injection): Promise<void> {
  const launched = launch({ home, under: underInjection(injection) });
  const announced = await launched.announced;
  if (announced?.type === 'ready') launched.process.kill('SIGKILL');
  const { code, signal, stderr } = await launched.ended;
  if (signal === 'SIGKILL') return;
  if (code === null || code === 0 || announced?.message === undefined) {
    throw new Error(`a start that failed said nothing (${code ?? signal}): ${stderr}`);
  }
}

/** Tries each of the first calls, in an order that follows from the seed, at a start or under load. */
interface Sweep {
  readonly calls: string;
  readonly effects: readonly string[];
  /** The last call under load that is tried; the load makes about this many. */
  readonly furthest: number;
}

async function* sweep({ random, count }: Run, { calls, effects, furthest }: Sweep) {
  const home = tempDir();
  const books = newBooks();
  const first = await startKycloned({ home });
  await first.stop();
  for (;;) {
    const isAtStart = random.once(4);
    const call = random.between(1, isAtStart ? FURTHEST_CALL_OF_START : furthest);
    const when = random.once(3) ? String(call) : `${call}+`;
    const injection = { calls, effect: random.pick(effects), when };
    if (isAtStart) await startUnder(home, injection);
    else {
      const daemon = await startKycloned({ home });
      await inject(daemon.locator.pid, injection);
      await writeAndRead(daemon, books, count);
      await daemon.stop('SIGKILL');
    }
    const next = await startKycloned({ home });
    await auditBooks(next, books);
    await next.stop('SIGKILL');
    count('faults');
    yield;
  }
}

const FAILS = ['error=EIO', 'error=ENOSPC'];

export const failingSync: TorturePromise = {
  id: 'R2',
  name: 'failing-sync',
  says: 'the n-th fsync fails: reported as unknown, nothing acknowledged lost',
  needs: ['strace'],
  rounds: (run) => sweep(run, { calls: 'fsync,fdatasync', effects: ['error=EIO'], furthest: 15 }),
};

export const failingWrite: TorturePromise = {
  id: 'R3',
  name: 'failing-write',
  says: 'the n-th write fails: refused by name, nothing acknowledged lost',
  needs: ['strace'],
  rounds: (run) => sweep(run, { calls: 'pwrite64', effects: FAILS, furthest: 120 }),
};

export const failingTruncate: TorturePromise = {
  id: 'R3',
  name: 'failing-truncate',
  says: 'truncates and renames fail: refused by name, nothing acknowledged lost',
  needs: ['strace'],
  rounds: (run) => sweep(run, { calls: 'ftruncate,rename', effects: FAILS, furthest: 3 }),
};

export const killedInCall: TorturePromise = {
  id: 'R1',
  name: 'killed-in-call',
  says: 'killed in its n-th write, sync or rename: the next start is whole',
  needs: ['strace'],
  rounds: (run) =>
    sweep(run, { calls: 'pwrite64,fsync,rename,ftruncate', effects: ['signal=SIGKILL'], furthest: 150 }),
};
