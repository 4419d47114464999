/** Tests that begin with the same thing: `testWith(startProxy)` is a `test` that hands a proxy of its own to each. */
import { test as plain } from 'vitest';
import { startService } from './service.ts';

/** A `test.each` whose functions get what was made first, then the row. */
interface EachWith<Made> {
  <Row extends unknown[] | [unknown]>(rows: readonly Row[]): Titled<[made: Made, ...row: Row]>;
  <Row extends readonly unknown[]>(rows: readonly Row[]): Titled<[made: Made, ...row: Row]>;
  <Row>(rows: readonly Row[]): Titled<[made: Made, row: Row]>;
}
type Titled<Given extends unknown[]> = (title: string, run: (...given: Given) => unknown) => void;

/**
 * Returns a `test` whose function gets what `make` makes, and which disposes of it afterwards. For a function without a
 * parameter nothing is made.
 */
export function testWith<Made extends AsyncDisposable>(make: () => Promise<Made>) {
  async function handed(run: (made: Made) => unknown): Promise<void> {
    await using made = await make();
    await run(made);
  }
  const testOf = (title: string, run: (made: Made) => unknown): void =>
    plain(title, run.length === 0 ? () => (run as () => void)() : () => handed(run));
  const eachWith = ((rows: readonly unknown[]): Titled<[Made, ...unknown[]]> =>
    (title, run) =>
      plain.each(rows)(title, (...row: unknown[]) => handed((made) => run(made, ...row)))) as EachWith<Made>;
  return Object.assign(testOf, { each: plain.each.bind(plain), eachWith });
}

/** A `test` with a service of its own. */
export const test = testWith(startService);
