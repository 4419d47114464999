export { settingsHandlers } from './handlers.ts';
export { createSettings, withAccessOf, type LiveSettings } from './service.ts';
