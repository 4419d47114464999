/** Serialises work on snapshots, and refuses other work once a load has been requested. */
import { conflict } from '../../../kernel/errors.ts';

export type Turns = ReturnType<typeof createTurns>;

export function createTurns() {
  let last: Promise<unknown> = Promise.resolve();
  let isTakenAlone = false;

  function queue<T>(run: () => Promise<T>): Promise<T> {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  }
  function refuse(): Promise<never> {
    return Promise.reject(conflict('A snapshot is being loaded: try again'));
  }

  return {
    /** Runs after all earlier work. Throws `conflict` while a snapshot is being loaded. */
    take: <T>(run: () => Promise<T>): Promise<T> => (isTakenAlone ? refuse() : queue(run)),
    /** The same, and refuses other requests until it is done. */
    takeAlone<T>(run: () => Promise<T>): Promise<T> {
      if (isTakenAlone) return refuse();
      isTakenAlone = true;
      return queue(run).finally(() => (isTakenAlone = false));
    },
  };
}
