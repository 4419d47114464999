export type { DueSource } from './due-work.ts';
export { clockHandlers } from './handlers.ts';
export { createClockService, storedClockSetting, type ClockService } from './service.ts';
