/** The inspector without a window. */
import { expect } from 'vitest';
import { createRuntime, type Runtime, type Surroundings } from '../../src/tui/runtime.ts';
import type { Setup, Size } from '../../src/tui/state/model.ts';
import { selectedRow } from '../../src/tui/state/reading.ts';
import { SETUP, SIZE } from '../tui/state/states.ts';

type Given = Pick<Surroundings, 'source'> & Partial<Surroundings>;

export function aRuntime(given: Given, setup: Partial<Setup> = {}, size: Size = SIZE): Runtime {
  return createRuntime({ ...SETUP, ...setup }, size, {
    now: () => 0,
    copy: () => Promise.resolve('copied'),
    canShow: () => false,
    reconnect: () => undefined,
    suspend: () => undefined,
    ...given,
  });
}

/** Returns one whose rows are there. */
export async function aLoadedRuntime(given: Given, setup?: Partial<Setup>): Promise<Runtime> {
  const runtime = aRuntime(given, setup);
  await expect.poll(() => selectedRow(runtime.getState())).toBeDefined();
  return runtime;
}

export function press(runtime: Runtime, ...keys: string[]): void {
  for (const key of keys) runtime.dispatch({ type: 'key', key, now: 0 });
}
