export { createPartIndex, type PartIndex, type Place } from './part-index.ts';
export { SEARCHED_PARTS, type SearchedPart } from './parts.ts';
