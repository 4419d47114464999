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
  countEntities,
  deleteAllEntities,
  findEntity,
  findEntityByExternalId,
  findEntityById,
  findEntityByRow,
  listEntities,
  updateStatus,
  type EntityFilter,
  type EntityRow,
} from './repository.ts';
