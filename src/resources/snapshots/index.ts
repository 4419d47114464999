export { adoptFile, type Adopted } from './carry.ts';
export type { Replacement, SnapshotHome } from './context.ts';
export { sealExisting } from './seal.ts';
export { snapshotHandlers } from './handlers.ts';
export { createSnapshots, type Snapshot, type Snapshots } from './service.ts';
export { createTurns } from './turns.ts';
