/**
 * Checks the whole store while it is served: copies it while requests continue, and has another process check every
 * page of the copy. Only one check runs at a time.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { UNWRITABLE_REASONS } from '../nouns/control/facts.ts';
import { ServiceError } from '../kernel/errors.ts';
import { realTime } from '../kernel/time/real-time.ts';
import { programArguments } from '../kernel/program/single-file.ts';
import { systemFailureOf } from '../kernel/system-failure.ts';
import type { StoreCheck, StoreChecks, Instance } from '../nouns/control/service/index.ts';
import type { BlobStore } from '../storage/blobs.ts';
import type { Database } from '../storage/database.ts';
import { removeDraft, type SnapshotFolder } from '../storage/snapshot-folder.ts';
import { copyImage } from '../storage/snapshot-image.ts';
import type { PageCheck } from '../nouns/snapshots/service/context.ts';
import { reportDamage } from '../storage/statement.ts';
import type { StoreCheckLine } from './check-store.ts';
import { lostFiles } from './lost-files.ts';
import type { Log } from './log.ts';

// Checks several times a second whether the store takes writes, and reports a change.

const LOOK_EVERY_MS = 250;

/**
 * While nothing can be written the instance is not ready, with the code of the problem as the reason, and the queue
 * refuses writes. Both end with the problem. Returns a function that ends the watch.
 */
export function watchStore(options: {
  /** The current problem. */
  readonly refusal: () => ServiceError | undefined;
  readonly instance: Instance;
  readonly log: Pick<Log, 'write'>;
}): () => void {
  const { refusal, instance, log } = options;
  let reported: (typeof UNWRITABLE_REASONS)[number] | undefined;
  const timer = realTime.setInterval(() => {
    const found = refusal();
    const reason = UNWRITABLE_REASONS.find((each) => each === found?.code);
    if (reason === reported) return;
    const isOurs = instance.readiness.ready || instance.readiness.reason === reported;
    reported = reason;
    if (isOurs) instance.readiness = reason === undefined ? { ready: true } : { ready: false, reason };
    if (reason === undefined) log.write({ level: 'info', event: 'store_is_back' });
    else log.write({ level: 'error', event: reason, failure: found?.message });
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => realTime.clearInterval(timer);
}

export interface StoppableStoreChecks extends StoreChecks {
  /** Starts a process that checks every page of a copy of the store. */
  beginPageCheck(): PageCheck;
  /** Ends a check in progress, which is reported as failed. */
  stop(): Promise<void>;
}

const MOST_PROBLEMS = 100;
const NEVER: StoreCheck = { status: 'never', checked: 0, steps: 0, problems: [], failure: null };

/** `program` is the daemon's own script. */
export function createStoreChecks(options: {
  database: Database;
  folder: SnapshotFolder;
  blobs: BlobStore;
  program: string;
}): StoppableStoreChecks {
  const { database, folder, blobs, program } = options;
  let state = NEVER;
  const children = new Set<ChildProcess>();
  let inFlight: Promise<void> | undefined;
  let isStopping = false;

  async function run(): Promise<void> {
    let draft: string | undefined;
    try {
      draft = await folder.draft();
      await copyImage(database, draft);
      if (!isStopping) await readCheck(draft);
      note(await lostFiles(database, blobs));
      if (state.failure === null && state.checked < state.steps) throw new Error('it was ended');
      state = { ...state, status: state.failure === null ? 'done' : 'failed' };
    } catch (error) {
      state = { ...state, status: 'failed', failure: failureText(error) };
    } finally {
      if (draft !== undefined) await removeDraft(draft).catch(() => undefined);
    }
  }

  function note(problems: readonly string[]): void {
    state = { ...state, problems: [...state.problems, ...problems].slice(0, MOST_PROBLEMS) };
  }

  /** Starts the process of a check. Its options say what it checks. */
  function startCheck(...options: readonly string[]) {
    const checking = spawn(process.execPath, programArguments(program, options), {
      stdio: ['pipe', 'pipe', 'ignore'],
      // Empty, since the daemon's environment may contain keys.
      env: {},
    });
    children.add(checking);
    // A process that has ended is noticed by its missing findings.
    checking.stdin.on('error', () => undefined);
    const failed = new Promise<never>((_, reject) => checking.once('error', reject));
    failed.catch(() => undefined);
    checking.once('close', () => children.delete(checking));
    return { checking, failed };
  }

  /** Calls `onLine` for each output line of the check. Throws when the process can't be started. */
  async function readLines(
    { checking, failed }: ReturnType<typeof startCheck>,
    onLine: (line: StoreCheckLine) => void,
  ): Promise<void> {
    const read = async () => {
      for await (const line of createInterface({ input: checking.stdout })) {
        const found = JSON.parse(line) as StoreCheckLine;
        onLine(found);
        // The store has the same damage as the copy: handle it as if a request had met it.
        if (found.problems.length > 0) reportDamage(database);
      }
    };
    try {
      await Promise.race([read(), failed]);
    } finally {
      children.delete(checking);
    }
  }

  async function readCheck(path: string): Promise<void> {
    await readLines(startCheck('--check-copy', path), (found) => {
      state = { ...state, checked: found.checked, steps: found.steps, failure: found.failure ?? null };
      note(found.problems);
    });
    if (state.steps === 0 && state.failure === null) throw new Error('the process that checks it ended');
  }

  return {
    state: () => state,
    begin() {
      if (inFlight) return state;
      if (database.memory) return (state = { ...NEVER, status: 'done' });
      state = { ...NEVER, status: 'running' };
      inFlight = run().finally(() => (inFlight = undefined));
      return state;
    },
    beginPageCheck() {
      const started = startCheck('--check-next');
      const { stdin } = started.checking;
      const lines: StoreCheckLine[] = [];
      // Read from the start: the process may end before it is needed.
      const reading = readLines(started, (line) => void lines.push(line));
      reading.catch(() => undefined);
      return {
        async run(copy) {
          stdin.end(copy);
          await reading;
          const last = lines.at(-1);
          if (last?.failure !== undefined || last?.checked !== last?.steps || !last)
            throw new ServiceError(
              'not_ready',
              'The snapshot could not be checked: the process that does it ended',
            );
          return lines.every(({ problems }) => problems.length === 0);
        },
        end: () => void stdin.end(),
      };
    },
    async stop() {
      isStopping = true;
      for (const child of children) child.kill('SIGKILL');
      await inFlight;
    },
  };
}

function failureText(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  const refused = systemFailureOf(error);
  if (refused) return `${refused.message}; ${refused.remedy}`;
  return `The store could not be checked: ${error instanceof Error ? error.message : 'unknown'}`;
}
