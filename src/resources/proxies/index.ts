export { proxyHandlers } from './handlers.ts';
export { createProxies, type Proxies } from './proxies.ts';
export { copyConfigurations } from './repository.ts';
