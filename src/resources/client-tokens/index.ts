export { requireAbility } from './caller.ts';
export { clientTokenHandlers } from './handlers.ts';
export { revokeToken } from './repository.ts';
export { createClientTokens, type ClientTokens } from './service.ts';
