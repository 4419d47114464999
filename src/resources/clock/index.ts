export { createDueJobs } from './due-jobs.ts';
export type { DueSource, MoveSource } from './due-work.ts';
export { clockHandlers } from './handlers.ts';
export { storedClockSetting, storeFrozenClock } from './repository.ts';
export { createClockService, type ClockService } from './service.ts';
