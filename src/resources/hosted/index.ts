export { hostedHandlers } from './handlers.ts';
export { createHosted, type Hosted } from './service.ts';
