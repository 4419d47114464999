/** Tests that begin with the same thing: `testWith(startProxy)` is a `test` that hands a proxy of its own to each. */
import { test as plain } from 'vitest';
import { startService } from './service.ts';

/**
 * Returns a `test` whose function gets what `make` makes, and which disposes of it afterwards. For a function without a
 * parameter nothing is made.
 */
export function testWith<Made extends AsyncDisposable>(make: () => Promise<Made>) {
  function testOf(title: string, run: (made: Made) => unknown): void {
    plain(title, async () => {
      if (run.length === 0) {
        await (run as () => unknown)();
        return;
      }
      await using made = await make();
      await run(made);
    });
  }
  return Object.assign(testOf, { each: plain.each.bind(plain) as typeof plain.each });
}

/** A `test` with a service of its own. */
export const test = testWith(startService);
