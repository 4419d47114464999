export { createSettings, withAccessOf, type LiveSettings } from './service.ts';
