/**
 * Checks of the whole store while it is served: a copy is made beside the requests, and another process looks at every
 * page of it. One at a time.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ServiceError } from '../kernel/errors.ts';
import { systemFailureOf } from '../kernel/system-failure.ts';
import type { StoreCheck, StoreChecks } from '../resources/emulator/index.ts';
import type { Database } from '../storage/database.ts';
import { removeDraft, type SnapshotFolder } from '../storage/snapshot-folder.ts';
import { copyImage } from '../storage/snapshot-image.ts';
import { reportDamage } from '../storage/store-health.ts';
import type { StoreCheckLine } from './check-store.ts';

export interface StoppableStoreChecks extends StoreChecks {
  /** Ends a check that is under way; it is reported as one that could not be made. */
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
  let child: ChildProcess | undefined;
  let underWay: Promise<void> | undefined;
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
      state = { ...state, status: 'failed', failure: told(error) };
    } finally {
      if (draft !== undefined) await removeDraft(draft).catch(() => undefined);
    }
  }

  async function readCheck(path: string): Promise<void> {
    child = spawn(process.execPath, [program, '--check-copy', path], {
      stdio: ['ignore', 'pipe', 'ignore'],
      // None of the keys that the environment of a daemon may hold.
      env: {},
    });
    const failed = new Promise<never>((_, reject) => child?.once('error', reject));
    failed.catch(() => undefined);
    const read = async () => {
      if (!child?.stdout) return;
      for await (const line of createInterface({ input: child.stdout })) {
        const found = JSON.parse(line) as StoreCheckLine;
        state = {
          ...state,
          checked: found.checked,
          steps: found.steps,
          problems: [...state.problems, ...found.problems].slice(0, MOST_PROBLEMS),
          failure: found.failure ?? null,
        };
        // What the copy shows is so in the store: as if a request had met it.
        if (found.problems.length > 0) reportDamage(database);
      }
    };
    await Promise.race([read(), failed]);
    if (state.steps === 0 && state.failure === null) throw new Error('the process that checks it ended');
  }

  return {
    state: () => state,
    begin() {
      if (underWay) return state;
      if (database.memory) return (state = { ...NEVER, status: 'done' });
      state = { ...NEVER, status: 'running' };
      underWay = run().finally(() => (underWay = undefined));
      return state;
    },
    async stop() {
      isStopping = true;
      child?.kill('SIGKILL');
      await underWay;
    },
  };
}

function told(error: unknown): string {
  if (error instanceof ServiceError) return error.message;
  const refused = systemFailureOf(error);
  if (refused) return `${refused.message}; ${refused.remedy}`;
  return `The store could not be checked: ${error instanceof Error ? error.message : 'unknown'}`;
}
