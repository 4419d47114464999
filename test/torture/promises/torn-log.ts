/** R4: a cut or damaged log opens to a prefix of what was written, if that is accepted. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { startKycloned, tempDir } from '../../support/kycloned.ts';
import { aUser, decrypt } from '../../support/kycloned-calls.ts';
import type { Run, TorturePromise } from '../promise.ts';
import type { SeededRandom } from '../seeded.ts';
import { startOrRefuse } from './lost-files.ts';

const USERS = 30;
const SECTOR_BYTES = 512;
const COPIES_PER_ROUND = 3;
/** A text so long that users fill pages. */
const NOTE = 'a note '.repeat(60);

/** Creates users one after the other, kills the daemon, and returns the store's files as they lay on disk. */
async function aStore(home: string): Promise<{ ids: string[]; files: Map<string, Buffer> }> {
  const daemon = await startKycloned({ home });
  const ids: string[] = [];
  for (let number = 0; number < USERS; number++) {
    ids.push(await aUser(daemon, { 'custom.number': number, 'custom.note': NOTE }));
  }
  await daemon.stop('SIGKILL');
  const { storeFile } = daemon.paths;
  return { ids, files: new Map([storeFile, `${storeFile}-wal`].map((path) => [path, readFileSync(path)])) };
}

function layOut(files: ReadonlyMap<string, Buffer>): void {
  for (const [path, bytes] of files) writeFileSync(path, bytes);
  for (const [path] of files) rmSync(`${path}-shm`, { force: true });
}

function damaged(bytes: Buffer, random: SeededRandom): Buffer {
  if (random.once(2)) {
    const length = random.once(2)
      ? random.below(bytes.length)
      : random.below(Math.floor(bytes.length / SECTOR_BYTES)) * SECTOR_BYTES;
    return bytes.subarray(0, length);
  }
  const flipped = Buffer.from(bytes);
  const at = random.below(flipped.length);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
  return flipped;
}

export const tornLog: TorturePromise = {
  id: 'R4',
  name: 'torn-log',
  says: 'a torn or damaged log opens to a prefix of what was written, or is refused by name',
  async *rounds({ random, count }: Run) {
    const home = tempDir();
    const { ids, files } = await aStore(home);
    const [log] = [...files.keys()].filter((path) => path.endsWith('-wal'));
    const whole = files.get(log ?? '') ?? Buffer.alloc(0);
    for (;;) {
      for (let copy = 0; copy < COPIES_PER_ROUND; copy++) {
        layOut(new Map([...files, [log ?? '', damaged(whole, random)]]));
        count('damaged logs');
        const daemon = await startOrRefuse(home, { options: ['--accept-loss'] });
        if (!daemon) continue;
        const answers = await Promise.all(ids.map((id) => decrypt(daemon, id, ['custom.number'])));
        const kept = answers.filter(({ status }) => status === 200).length;
        const numbers = answers.map(({ status, body }) => (status === 200 ? body['custom.number'] : status));
        expect(numbers).toEqual(ids.map((_, number) => (number < kept ? number : 404)));
        count('users kept', kept);
        await daemon.stop('SIGKILL');
      }
      yield;
    }
  },
};
