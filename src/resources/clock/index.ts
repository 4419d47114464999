import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { ClockService } from './service.ts';

export { createDueJobs } from './due-jobs.ts';
export { createWakeSignal, type DueSource, type MoveSource, type StepBack } from './due-work.ts';
export { saveClockSetting, storedClockSetting, storeFrozenClock } from './repository.ts';
export { createClockService, type ClockService } from './service.ts';

export function clockHandlers(clock: ClockService): Handlers<KeysUnder<'/_kyclone/clock'>> {
  return {
    'GET /_kyclone/clock': () => answer(clock.state()),
    'PUT /_kyclone/clock': async ({ body }) => answer(await clock.move(body)),
  };
}
