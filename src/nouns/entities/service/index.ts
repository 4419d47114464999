export {
  changesOf,
  createEntities,
  detailsView,
  forBusinessesToo,
  getEntity,
  placeOf,
  referenceView,
  skipsLuhn,
  type Entities,
  type EntityKind,
} from './operations.ts';
export {
  countByKind,
  holdsEntities,
  deleteAllEntities,
  findEntity,
  findEntityByExternalId,
  findEntityById,
  findEntityByRow,
  updateStatus,
  type EntityRow,
} from './repository.ts';
export { listEntities, type EntityFilter } from './lists-repository.ts';
