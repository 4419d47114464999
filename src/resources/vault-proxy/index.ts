export { vaultProxyHandlers } from './handlers.ts';
export { createVaultProxy, type Configurations, type VaultProxy } from './service.ts';
export type { StoredRequest } from './configured-headers.ts';
export { describeCertificate, requireSendable } from './stored-request.ts';
