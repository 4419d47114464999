export { requirePermission, requireScope, type Caller, type Rights, type TokenCaller } from './caller.ts';
export { createApiKeys, newApiKey, type ApiKeys, type LocalKeys } from './service.ts';
export { ensureSpace, findSpace, type Space } from './repository.ts';
export { spaceOf } from './chosen-space.ts';
