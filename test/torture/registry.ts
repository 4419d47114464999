/** The promises that torture tries, in this order. */
import { damagedPages } from './promises/damaged-pages.ts';
import { fullDisk, openFiles, removedFolder } from './promises/disk-room.ts';
import { failingSync, failingTruncate, failingWrite, killedInCall } from './promises/failing-calls.ts';
import { hostileCorpus } from './promises/hostile-corpus.ts';
import { keychain } from './promises/keychain.ts';
import { backup, rotation, shred } from './promises/keys-and-copies.ts';
import { killNine } from './promises/kill-nine.ts';
import { killUploads } from './promises/kill-uploads.ts';
import { overload, smallLog, soak } from './promises/long-life.ts';
import { isolationMatrix } from './promises/matrices.ts';
import { copiedFolder, lostFiles } from './promises/lost-files.ts';
import { nonces } from './promises/nonces.ts';
import { olderStore } from './promises/older-store.ts';
import { powerCut } from './promises/power-cut.ts';
import { jumpingClock, signals } from './promises/signals-and-clock.ts';
import { slowClients } from './promises/slow-clients.ts';
import { manyWriters, requestsApart } from './promises/together.ts';
import { tornLog } from './promises/torn-log.ts';
import type { TorturePromise } from './promise.ts';

export const PROMISES: readonly TorturePromise[] = [
  killNine,
  killUploads,
  killedInCall,
  failingSync,
  failingWrite,
  failingTruncate,
  tornLog,
  damagedPages,
  powerCut,
  lostFiles,
  copiedFolder,
  fullDisk,
  openFiles,
  removedFolder,
  manyWriters,
  requestsApart,
  smallLog,
  shred,
  backup,
  olderStore,
  rotation,
  soak,
  overload,
  slowClients,
  hostileCorpus,
  jumpingClock,
  signals,
  keychain,
  isolationMatrix,
  nonces,
];
