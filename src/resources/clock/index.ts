export { createDueJobs } from './due-jobs.ts';
export { createWakeSignal, type DueSource, type MoveSource, type StepBack } from './due-work.ts';
export { clockHandlers } from './handlers.ts';
export { saveClockSetting, storedClockSetting, storeFrozenClock } from './repository.ts';
export { createClockService, type ClockService } from './service.ts';
