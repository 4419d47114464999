export {
  checkGrantList,
  damagedRow,
  findSettings,
  isSealed,
  requireSeal,
  rowSeal,
  sealOf,
  storeSettings,
  updateGrantList,
  useGrantKey,
} from './row-seals.ts';
export { addToSum, beginSum, requireEarlierSum, requireSum, startSum } from './sealed-sum.ts';
export { sealExistingRows } from './existing-rows.ts';
export {
  forgetUnsealedSnapshots,
  hasUnsealedSnapshots,
  noteUnsealedSnapshots,
} from './unsealed-snapshots.ts';
export { NEWEST_SEALS, type GrantRow, type GrantTable, type SealGeneration } from './tables.ts';
