export {
  checkGrantList,
  findSettings,
  isSealed,
  requireSeal,
  sealOf,
  storeSettings,
  updateGrantList,
  useGrantKey,
} from './row-seals.ts';
export { sealExistingRows } from './existing-rows.ts';
export {
  forgetUnsealedSnapshots,
  hasUnsealedSnapshots,
  noteUnsealedSnapshots,
} from './unsealed-snapshots.ts';
export type { GrantRow, GrantTable } from './tables.ts';
