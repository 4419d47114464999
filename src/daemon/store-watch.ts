/** Checks several times a second whether the store takes writes, and reports a change. */
import { UNWRITABLE_REASONS } from '../contract/facts/control.ts';
import type { ServiceError } from '../kernel/errors.ts';
import type { Instance } from '../resources/control/index.ts';
import type { Log } from './log.ts';
import { realTime } from '../kernel/real-time.ts';

const LOOK_EVERY_MS = 250;

type Reason = (typeof UNWRITABLE_REASONS)[number];

/**
 * While nothing can be written the instance is not ready, with the code of the problem as the reason, and the queue
 * refuses writes. Both end with the problem. Returns a function that ends the watch.
 */
export function watchStore(options: {
  /** The current problem. */
  readonly refusal: () => ServiceError | undefined;
  readonly instance: Instance;
  readonly log: Pick<Log, 'write'>;
}): () => void {
  const { refusal, instance, log } = options;
  let reported: Reason | undefined;
  const timer = realTime.setInterval(() => {
    const found = refusal();
    const reason = UNWRITABLE_REASONS.find((each) => each === found?.code);
    if (reason === reported) return;
    const isOurs = instance.readiness.ready || instance.readiness.reason === reported;
    reported = reason;
    if (isOurs) instance.readiness = reason === undefined ? { ready: true } : { ready: false, reason };
    if (reason === undefined) log.write({ level: 'info', event: 'store_is_back' });
    else log.write({ level: 'error', event: reason, failure: found?.message });
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => realTime.clearInterval(timer);
}
