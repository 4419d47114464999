/** Checks several times a second whether the store's files are still those that were opened, and reports a change. */
import type { Instance } from '../resources/control/index.ts';
import type { StoreTrouble } from '../storage/store-files.ts';
import type { Log } from './log.ts';

const LOOK_EVERY_MS = 250;

/**
 * While there is a problem the instance is not ready (`store_missing`) and its queue refuses writes. Both end when the
 * files are back. Returns a function that ends the watch.
 */
export function watchStore(options: {
  readonly trouble: StoreTrouble;
  readonly instance: Instance;
  readonly log: Pick<Log, 'write'>;
}): () => void {
  const { trouble, instance, log } = options;
  let isMissing = false;
  const timer = setInterval(() => {
    const found = trouble();
    if ((found !== undefined) === isMissing) return;
    isMissing = found !== undefined;
    if (found) {
      if (instance.readiness.ready) instance.readiness = { ready: false, reason: 'store_missing' };
      log.write({ level: 'error', event: 'store_missing', failure: found.message });
    } else {
      if (isStoreMissing(instance)) instance.readiness = { ready: true };
      log.write({ level: 'info', event: 'store_is_back' });
    }
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function isStoreMissing({ readiness }: Instance): boolean {
  return !readiness.ready && readiness.reason === 'store_missing';
}
