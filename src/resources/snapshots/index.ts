export { snapshotHandlers } from './handlers.ts';
export { createSnapshots, type Snapshot, type Snapshots } from './service.ts';
