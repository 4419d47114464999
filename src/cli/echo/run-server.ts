/**
 * One run of a server of ours: it ends with a signal, when nobody reads what it prints any more, or when as many requests
 * as were wanted have their answers; whichever it is, no socket is left.
 */
import { whenToEnd } from '../shell/ending.ts';
import { EXIT } from '../shell/exit-codes.ts';
import type { ReceivedRequest } from './answers.ts';
import type { Listeners } from './loopback-server.ts';

export interface ServerRun<Started extends { close(): Promise<void> }> {
  /** How many requests there are to be; any number unless given. */
  readonly stopAfter: number | undefined;
  readonly start: (listeners: Listeners) => Promise<Started>;
  /** Called for each of them. */
  readonly tell: (request: ReceivedRequest, status: number) => void;
  /** Called when it listens; the run is over when this settles. */
  readonly meanwhile: (server: Started, exitCode: Promise<number>) => Promise<number>;
}

/** Answers the exit code, and throws what `start` and `meanwhile` throw. */
export async function runServer<Started extends { close(): Promise<void> }>({
  stopAfter = Infinity,
  start,
  tell,
  meanwhile,
}: ServerRun<Started>): Promise<number> {
  const ending = whenToEnd();
  let answered = 0;
  try {
    const server = await start({
      onRequest: (request, status) => {
        if (request.number <= stopAfter) tell(request, status);
      },
      onAnswered: ({ number }) => {
        if (number <= stopAfter && ++answered === stopAfter) ending.end(EXIT.ok);
      },
    });
    try {
      return await meanwhile(server, ending.exitCode);
    } finally {
      await server.close();
    }
  } finally {
    ending.release();
  }
}
