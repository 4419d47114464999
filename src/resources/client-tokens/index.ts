export { requireAbility } from './caller.ts';
export { clientTokenHandlers } from './handlers.ts';
export { createClientTokens, type ClientTokens } from './service.ts';
