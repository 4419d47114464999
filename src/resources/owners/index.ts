export { ownerHandlers } from './handlers.ts';
export { createOwners, type Owner, type Owners } from './service.ts';
