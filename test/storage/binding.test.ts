import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openBinding, type Database } from '../../src/storage/binding.ts';

/** What is left, after a thorough collection, of statements that a database made and nobody holds. */
async function leftOver(database: Database): Promise<number> {
  const made: WeakRef<object>[] = [];
  const make = () => void made.push(new WeakRef(database.prepare('SELECT 1')));
  for (let index = 0; index < 10; index += 1) make();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // A WeakRef holds its target to the end of the turn that made it.
  await new Promise((resolve) => setTimeout(resolve, 1));
  collect();
  return made.filter((reference) => reference.deref() !== undefined).length;
}

describe('openBinding', () => {
  afterEach(() => void vi.unstubAllGlobals());

  it('keeps what a Node aborts over when it is collected', async () => {
    vi.stubGlobal('process', { ...process, versions: { ...process.versions, node: '24.19.0' } });
    const database = openBinding(':memory:');
    expect(await leftOver(database)).toBe(10);
    expect(database.pragma('user_version', { simple: true })).toBe(0);
    expect(database.transaction(() => 7)()).toBe(7);
    database.close();
  });

  it.runIf(Number.parseInt(process.versions.node, 10) < 24)('keeps nothing under any other', async () => {
    const database = openBinding(':memory:');
    expect(await leftOver(database)).toBe(0);
    database.close();
  });
});
