export { bury, listTombstones, unbury, type Tombstone, type TombstoneKind } from './repository.ts';
