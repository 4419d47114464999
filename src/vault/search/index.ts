export { createPartIndex, type PartIndex, type SearchPlace } from './part-index.ts';
export { SEARCHED_PARTS, type SearchedPart } from './parts.ts';
