export {
  requirePermission,
  requireScope,
  type Caller,
  findKeyRights,
  rightsOf,
  type FlowCaller,
  type KeyRights,
  type TokenCaller,
} from './caller.ts';
export { createApiKeys, newApiKey, type ApiKeys, type LocalKeys } from './service.ts';
export { copyApiKeys, disableApiKey } from './copying.ts';
export {
  deleteApiKey as forgetApiKey,
  ensureSpace,
  findApiKey,
  isApiKeyId,
  findSpace,
  listSpaces,
  type Space,
} from './repository.ts';
export { spaceOf } from './chosen-space.ts';
