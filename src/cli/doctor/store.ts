/** Looks at every page of the store: through the daemon that serves it, or in a process of its own where none does. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../client/client.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import type { InstancePaths } from '../../kernel/paths.ts';
import { fail, ok, warn, type Check } from './check.ts';

export interface DeepCheck {
  /** The package's folder. */
  readonly root: string;
  readonly onProgress: (checked: number, steps: number) => void;
}

type StoreCheck = AnswerOf<'GET /_kyclone/store/check'>;

const POLL_MS = 200;
const SHOWN_PROBLEMS = 3;

/** Rejects as the client does. */
export async function checkServedStore(
  { url, control_token }: { url: string; control_token: string },
  { onProgress }: DeepCheck,
): Promise<Check> {
  const client = createClient({ baseUrl: url, controlToken: control_token });
  let state = await client.call('POST /_kyclone/store/check');
  while (state.status === 'running') {
    onProgress(state.checked, state.steps);
    await delay(POLL_MS);
    state = await client.call('GET /_kyclone/store/check');
  }
  if (state.status === 'never')
    return fail('store', 'not checked: a snapshot was loaded meanwhile; run it again');
  if (state.failure === null && state.steps === 0)
    return ok('store', 'kept in memory: there are no pages to check');
  return verdict(state);
}

/** Rejects when the process can't be started. */
export async function checkStoppedStore(
  { dataDirectory, stateDirectory, storeFile }: InstancePaths,
  { root, onProgress }: DeepCheck,
): Promise<Check> {
  if (!existsSync(storeFile)) {
    const elsewhere = 'one that was started with --data-dir is checked with the same --data-dir';
    return warn('store', `there is none at ${storeFile}; kyclone start makes one, and ${elsewhere}`);
  }
  const child = spawn(
    process.execPath,
    [
      join(root, 'bin', 'kycloned.js'),
      '--check-store',
      ...['--instance', basename(stateDirectory)],
      ...['--data-dir', dataDirectory],
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  let state: Omit<StoreCheck, 'status'> = { checked: 0, steps: 0, problems: [], failure: null };
  const read = async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const found = JSON.parse(line) as Omit<StoreCheck, 'status'>;
      state = {
        checked: found.checked,
        steps: found.steps,
        problems: [...state.problems, ...found.problems],
        failure: found.failure ?? null,
      };
      onProgress(found.checked, found.steps);
    }
  };
  await Promise.race([read(), failed]);
  return verdict(state);
}

function verdict({ checked, steps, problems, failure }: Omit<StoreCheck, 'status'>): Check {
  if (problems.length > 0) {
    const more = problems.length > SHOWN_PROBLEMS ? `; ${problems.length - SHOWN_PROBLEMS} more` : '';
    return fail(
      'store',
      `damaged: ${problems.slice(0, SHOWN_PROBLEMS).join('; ')}${more}. ` +
        'Restore the data folder from a copy, or move it away, start anew and load a snapshot',
    );
  }
  if (failure !== null) return fail('store', `not checked: ${failure}`);
  if (steps === 0 || checked < steps) return fail('store', 'not checked to the end: the check was ended');
  return ok('store', `every page is whole (${steps - 1} tables)`);
}
