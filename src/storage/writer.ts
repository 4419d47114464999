/**
 * The write queue (docs/architecture.md#storage). Jobs that arrive together are committed together: one BEGIN
 * IMMEDIATE, a savepoint for each of several jobs, one COMMIT and so one sync of the disk. The queue collects jobs for
 * as long as each event loop tick brings another one: under load a sync costs more than a request, and nearly every
 * client's job joins the next commit. A lone job after another lone job is committed at once. A promise settles only
 * after the commit, so everything that was acknowledged is on disk. A job that throws is rolled back alone. Adjacent
 * rows of one kind in the queue (`gather`) are one job: one savepoint and one statement for all of them.
 *
 * If a COMMIT fails, other than by a full disk, it is unknown what reached the disk. Every job of the batch fails with
 * that error, and the queue refuses all writes until the daemon restarts. It also refuses writes after a damaged page
 * was read, and while the files of the store are not the ones that were opened.
 */
import { statSync } from 'node:fs';
import { ServiceError, storageFull } from '../kernel/errors.ts';
import { realTime } from '../kernel/time/real-time.ts';
import { KIB } from '../kernel/numbers/units.ts';
import { copyLog, emptyLog } from './checkpoints.ts';
import { type Database, isSqliteError } from './database.ts';
import type { Reserve } from './reserve.ts';
import { damageOf, isPageDamage, reportDamage } from './statement.ts';

// Whether a write failed for want of room.

/** More than SQLite writes at once. */
const ONE_WRITE_BYTES = 128 * KIB;

/**
 * Whether SQLite found the disk full, or a file at the limit of this process (`ulimit -f`), which it reports as a failed
 * write of any kind.
 */
function isFullDisk(database: Database, error: unknown, wasFull: boolean): boolean {
  if (isSqliteError(error, 'SQLITE_FULL')) return true;
  const mayBe = ['SQLITE_IOERR_WRITE', 'SQLITE_IOERR_TRUNCATE'].some((code) => isSqliteError(error, code));
  if (!mayBe || database.memory) return false;
  // Room that was made since the refusal must not turn it into a write of unknown outcome.
  if (wasFull) return true;
  const limit = fileSizeLimit();
  return [database.name, `${database.name}-wal`].some(
    (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) + ONE_WRITE_BYTES > limit,
  );
}

/** The largest size of a file that this process may write, in bytes. */
function fileSizeLimit(): number {
  const { userLimits } = process.report.getReport() as {
    userLimits?: { file_size_blocks?: { soft?: number | 'unlimited' } };
  };
  const soft = userLimits?.file_size_blocks?.soft;
  return typeof soft === 'number' ? soft : Infinity;
}

/** Enough to make the sync a small part of each request, and few enough not to block the event loop for long. */
const MAX_JOBS_PER_COMMIT = 256;

interface QueuedJob {
  /** It deletes, so it may use the reserve on a full disk. */
  readonly isFreeing: boolean;
  run: (database: Database) => unknown;
  /** In place of `run`: a row that is written together with those beside it. */
  readonly gathered: { readonly row: unknown; readonly put: Put<never> } | undefined;
  resolve: (result: never) => void;
  reject: (reason: unknown) => void;
}

type Put<Row> = (database: Database, rows: readonly Row[]) => void;

/** Jobs that succeed or fail together. */
interface Work {
  readonly jobs: readonly QueuedJob[];
  readonly run: (database: Database) => unknown;
}

interface Settled {
  job: QueuedJob;
  result?: unknown;
  failure?: { reason: unknown };
}

export type WriteQueue = ReturnType<typeof createWriteQueue>;

export interface WriteQueueOptions {
  /**
   * The current problem with the files of the store, if any; checked before each transaction and again before it is
   * acknowledged.
   */
  readonly trouble?: (() => ServiceError | undefined) | undefined;
  /** Called after each commit. Returns the size of the write-ahead log in bytes. */
  readonly committed?: (() => number) | undefined;
  /** Disk space reserved for jobs that delete. */
  readonly reserve?: Reserve | undefined;
}

export function createWriteQueue(database: Database, options: WriteQueueOptions = {}) {
  let waiting: QueuedJob[] = [];
  let isReadOnly = false;
  let isClosed = false;
  let isScheduled = false;
  let seenAtLastTurn = 0;
  /** The number of jobs in the last commit. After a lone job the next one doesn't wait for others. */
  let lastCommitted = 0;
  let isScrubScheduled = false;
  /** Whether the reserve was released in this run and not restored. */
  let wasGiven = false;
  let isFull = false;
  const commitHooks: ((database: Database) => void)[] = [];
  const rollbackHooks: (() => void)[] = [];
  const closeHooks: (() => void)[] = [];
  let effects: (() => void)[] = [];
  const begin = database.prepare<[]>('BEGIN IMMEDIATE');
  const commit = database.prepare<[]>('COMMIT');
  const rollback = database.prepare<[]>('ROLLBACK');
  const savepoint = database.prepare<[]>('SAVEPOINT job');
  const release = database.prepare<[]>('RELEASE job');
  const rollbackTo = database.prepare<[]>('ROLLBACK TO job');

  function collect(): void {
    const isLone = waiting.length === 1 && lastCommitted === 1;
    if (!isLone && waiting.length > seenAtLastTurn && waiting.length < MAX_JOBS_PER_COMMIT) {
      seenAtLastTurn = waiting.length;
      realTime.setImmediate(collect);
    } else flush();
  }

  function flush(): void {
    isScheduled = false;
    seenAtLastTurn = 0;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_JOBS_PER_COMMIT);
      waiting = waiting.slice(MAX_JOBS_PER_COMMIT);
      lastCommitted = batch.length;
      for (const { job, result, failure } of commitWithin(batch)) {
        if (failure) job.reject(failure.reason);
        else job.resolve(result as never);
      }
    }
  }

  function refusal(): ServiceError | undefined {
    return isReadOnly ? readOnlyError() : (damageOf(database) ?? options.trouble?.());
  }

  /** Space from the reserve may only be used for deletions. */
  function commitWithin(batch: QueuedJob[]): Settled[] {
    const { reserve } = options;
    if (!reserve) return noting(commitTogether(batch));
    const mayAll = !wasGiven || reserve.takeBack();
    if (mayAll) wasGiven = false;
    const admitted = mayAll ? batch : batch.filter(({ isFreeing }) => isFreeing);
    const settled = admitted.length > 0 ? commitTogether(admitted) : [];
    const others = batch.filter(({ isFreeing }) => !isFreeing);
    const refused = mayAll ? [] : failAll(others, storageFull());
    const isToRepeat = ({ job, failure }: Settled) =>
      job.isFreeing && (failure?.reason as Partial<ServiceError> | undefined)?.code === 'storage_full';
    const repeated = settled.filter(isToRepeat).map(({ job }) => job);
    if (repeated.length === 0 || !reserve.give()) return noting([...settled, ...refused]);
    wasGiven = true;
    return noting([...settled.filter((each) => !isToRepeat(each)), ...commitTogether(repeated), ...refused]);
  }

  /** Notes whether writes other than deletions find room. */
  function noting(settled: Settled[]): Settled[] {
    for (const { job, failure } of settled) {
      const code = (failure?.reason as Partial<ServiceError> | undefined)?.code;
      if (code === 'storage_full') isFull = true;
      else if (!failure && !job.isFreeing) isFull = false;
    }
    return settled;
  }

  function commitTogether(batch: QueuedJob[]): Settled[] {
    const refused = refusal();
    if (refused) return failAll(batch, refused);
    try {
      begin.run();
      const works = worksOf(batch);
      const settled = works.length === 1 ? works.flatMap(runLone) : works.flatMap(runAlone);
      // Other jobs of the batch may have read damaged data, too.
      const damage = damageOf(database);
      if (damage) throw damage;
      if (!database.inTransaction) return settled;
      if (settled.some((each) => !each.failure)) for (const hook of commitHooks) hook(database);
      commit.run();
      const logBytes = options.committed?.() ?? 0;
      if (!wasGiven) options.reserve?.cover(logBytes);
      // A commit to removed files would be lost, since no later start opens them.
      const lost = options.trouble?.();
      takeEffects();
      return lost ? failAll(batch, lost) : settled;
    } catch (error) {
      effects = [];
      return failAll(batch, abandon(error));
    }
  }

  /** The commit is valid even if an effect fails. A throwing effect is a defect, reported as a process warning. */
  function takeEffects(): void {
    const committed = effects;
    effects = [];
    for (const effect of committed) {
      try {
        effect();
      } catch (error) {
        process.emitWarning(`After a commit: ${error instanceof Error ? error.name : 'unknown'}`);
      }
    }
  }

  function runAlone({ jobs, run }: Work): Settled[] {
    savepoint.run();
    const effectsBefore = effects.length;
    try {
      const result = run(database);
      release.run();
      return jobs.map((job) => ({ job, result }));
    } catch (reason) {
      // On a full disk or a file error SQLite itself rolls back the whole transaction, so the whole batch fails.
      if (!database.inTransaction) throw reason;
      rollbackTo.run();
      release.run();
      effects.length = effectsBefore;
      for (const hook of rollbackHooks) hook();
      return failAll(jobs, asServiceError(reason));
    }
  }

  /** A lone job needs no savepoint: a failure rolls back the transaction. */
  function runLone({ jobs, run }: Work): Settled[] {
    try {
      const result = run(database);
      return jobs.map((job) => ({ job, result }));
    } catch (reason) {
      if (!database.inTransaction) throw reason;
      rollback.run();
      effects = [];
      for (const hook of rollbackHooks) hook();
      return failAll(jobs, asServiceError(reason));
    }
  }

  function abandon(error: unknown): unknown {
    for (const hook of rollbackHooks) hook();
    let isRolledBack = !database.inTransaction;
    if (!isRolledBack) {
      try {
        rollback.run();
        isRolledBack = true;
      } catch {
        isRolledBack = false;
      }
    }
    if (isRolledBack && isFullDisk(database, error, isFull)) {
      // The log can't grow: once it is copied into the file, its space is used again.
      if (!wasGiven) copyLog(database);
      return storageFull(error);
    }
    const damage = isPageDamage(error) ? reportDamage(database, error) : damageOf(database);
    if (isRolledBack && damage) return damage;
    isReadOnly = true;
    return new ServiceError(
      'internal_error',
      'The write failed and its outcome is unknown: restart the daemon',
      { cause: error },
    );
  }

  function enqueue<T>(job: Pick<QueuedJob, 'run' | 'isFreeing' | 'gathered'>): Promise<T> {
    if (isClosed) return Promise.reject(new ServiceError('not_ready', 'The daemon is stopping'));
    return new Promise<T>((resolve, reject) => {
      const { run, isFreeing, gathered } = job;
      waiting.push({ run, isFreeing, gathered, resolve, reject });
      if (!isScheduled) {
        isScheduled = true;
        realTime.setImmediate(collect);
      }
    });
  }

  return {
    database,
    /** Whether an earlier commit failed with an unknown outcome. */
    get isReadOnly(): boolean {
      return isReadOnly;
    },
    /** Why nothing is written now, or nothing but deletions. */
    get refusal(): ServiceError | undefined {
      return refusal() ?? (isFull ? storageFull() : undefined);
    },
    /**
     * Adds a hook that is called in each transaction after its jobs, before COMMIT, if at least one of them succeeded.
     */
    beforeCommit: (hook: (database: Database) => void): void => void commitHooks.push(hook),
    /**
     * Call it within a job: `effect` is called once the commit of this job is on disk, before its promise settles, and
     * never when it is rolled back. It must neither throw nor wait.
     */
    afterCommit: (effect: () => void): void => void effects.push(effect),
    /** Adds a hook that is called after a job or a transaction was rolled back, to drop cached state. */
    afterRollback: (hook: () => void): void => void rollbackHooks.push(hook),
    /** Adds a hook that is called when the queue is closed; its writes are part of the last commit. */
    beforeClose: (hook: () => void): void => void closeHooks.push(hook),
    /** Runs `job` in the next commit and settles after it. The job is synchronous and may run only once. */
    write: <T>(run: (database: Database) => T): Promise<T> =>
      enqueue({ run, isFreeing: false, gathered: undefined }),
    /**
     * As `write`, for a job that deletes: on a full disk the reserve is released and the job runs a second time. The
     * first run was rolled back.
     */
    free: <T>(run: (database: Database) => T): Promise<T> =>
      enqueue({ run, isFreeing: true, gathered: undefined }),
    /**
     * Returns a function that writes a row in the next commit and settles after it. `put` receives the rows that are
     * adjacent in the queue, in one job: if it throws, all of them fail. Use it for rows of which none can fail alone.
     */
    gather:
      <Row>(put: (database: Database, rows: readonly Row[]) => void): ((row: Row) => Promise<void>) =>
      (row) =>
        enqueue({ run: nothing, isFreeing: false, gathered: { row, put } }),
    /** Requests that the write-ahead log be emptied soon, since it still contains overwritten and deleted ciphertext. */
    scrub(): void {
      if (isScrubScheduled || isClosed) return;
      isScrubScheduled = true;
      realTime.setImmediate(() => {
        isScrubScheduled = false;
        if (isClosed) return;
        emptyLog(database);
      });
    },
    /** Commits queued jobs and refuses later ones. */
    close(): void {
      for (const hook of closeHooks.splice(0)) hook();
      isClosed = true;
      flush();
    },
  };
}

/** Each job alone, but rows that are gathered with those beside them. */
function worksOf(batch: readonly QueuedJob[]): Work[] {
  const works: Work[] = [];
  let gathering:
    | { readonly put: Put<never>; readonly jobs: QueuedJob[]; readonly rows: unknown[] }
    | undefined;
  for (const job of batch) {
    const { gathered } = job;
    if (!gathered) {
      gathering = undefined;
      works.push({ jobs: [job], run: job.run });
    } else if (gathering?.put === gathered.put) {
      gathering.jobs.push(job);
      gathering.rows.push(gathered.row);
    } else {
      const { put, row } = gathered;
      const rows = [row];
      const jobs = [job];
      gathering = { put, jobs, rows };
      works.push({ jobs, run: (database) => put(database, rows as never[]) });
    }
  }
  return works;
}

function nothing(): void {
  // What is gathered is written by `put`.
}

function failAll(batch: readonly QueuedJob[], reason: unknown): Settled[] {
  return batch.map((job) => ({ job, failure: { reason } }));
}

function readOnlyError(): ServiceError {
  return new ServiceError(
    'storage_failed',
    'The store is read-only after a failed commit: check its disk, then restart the daemon',
  );
}

function asServiceError(reason: unknown): unknown {
  return isSqliteError(reason, 'SQLITE_FULL') ? storageFull(reason) : reason;
}
