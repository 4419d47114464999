/**
 * Checks the whole store while it is served: copies it while requests continue, and has another process check every
 * page of the copy. Only one check runs at a time.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ServiceError } from '../kernel/errors.ts';
import { systemFailureOf } from '../kernel/system-failure.ts';
import type { StoreCheck, StoreChecks } from '../resources/control/index.ts';
import type { Database } from '../storage/database.ts';
import { removeDraft, type SnapshotFolder } from '../storage/snapshot-folder.ts';
import { copyImage } from '../storage/snapshot-image.ts';
import { reportDamage } from '../storage/store-health.ts';
import type { StoreCheckLine } from './check-store.ts';

export interface StoppableStoreChecks extends StoreChecks {
  /**
   * Checks every page of a copy of the store in a separate process. Returns whether all are intact; if not, the store
   * is marked as damaged. Throws the reason when the check can't run.
   */
  checkPages(copy: string): Promise<boolean>;
  /** Ends a check in progress, which is reported as failed. */
  stop(): Promise<void>;
}

const MOST_PROBLEMS = 100;
const NEVER: StoreCheck = { status: 'never', checked: 0, steps: 0, problems: [], failure: null };

/** `program` is the daemon's own script. */
export function createStoreChecks(options: {
  database: Database;
  folder: SnapshotFolder;
  program: string;
}): StoppableStoreChecks {
  const { database, folder, program } = options;
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
      if (state.failure === null && state.checked < state.steps) throw new Error('it was ended');
      state = { ...state, status: state.failure === null ? 'done' : 'failed' };
    } catch (error) {
      state = { ...state, status: 'failed', failure: failureText(error) };
    } finally {
      if (draft !== undefined) await removeDraft(draft).catch(() => undefined);
    }
  }

  /** Calls `onLine` for each output line of the check. Throws when the process can't be started. */
  async function runCheck(path: string, onLine: (line: StoreCheckLine) => void): Promise<void> {
    const checking = spawn(process.execPath, [program, '--check-copy', path], {
      stdio: ['ignore', 'pipe', 'ignore'],
      // Empty, since the daemon's environment may contain keys.
      env: {},
    });
    children.add(checking);
    const failed = new Promise<never>((_, reject) => checking.once('error', reject));
    failed.catch(() => undefined);
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
    await runCheck(path, (found) => {
      state = {
        ...state,
        checked: found.checked,
        steps: found.steps,
        problems: [...state.problems, ...found.problems].slice(0, MOST_PROBLEMS),
        failure: found.failure ?? null,
      };
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
    async checkPages(copy) {
      const lines: StoreCheckLine[] = [];
      await runCheck(copy, (line) => void lines.push(line));
      const last = lines.at(-1);
      if (last?.failure !== undefined || last?.checked !== last?.steps || !last)
        throw new ServiceError(
          'not_ready',
          'The snapshot could not be checked: the process that does it ended',
        );
      return lines.every(({ problems }) => problems.length === 0);
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
