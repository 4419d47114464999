export { createSettings, type LiveSettings } from './service.ts';
