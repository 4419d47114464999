export { changesOf, entityHandlers, skipsLuhn } from './handlers.ts';
export {
  createEntities,
  detailsView,
  getEntity,
  placeOf,
  referenceView,
  type Entities,
  type EntityKind,
} from './service.ts';
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
