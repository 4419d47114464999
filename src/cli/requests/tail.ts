/**
 * One run of `kyclone requests tail`. It ends with a signal, when nobody reads what it prints, after as many entries
 * as were wanted, or, with exit code 5, when the daemon is gone.
 */
import type { Connection } from '../../client/client.ts';
import { UnreachableError } from '../../client/errors.ts';
import { openStream, type StreamMessage } from '../../client/event-stream.ts';
import { whenToEnd } from '../shell/ending.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { entryFilter, type Filters, type JournalEntry } from './filters.ts';

export interface TailRun extends Filters {
  readonly stopAfter: number | undefined;
}

/** Answers the exit code. `begun` is told when entries are heard from now on. Throws UnreachableError. */
export async function runTail(
  run: TailRun,
  connection: Connection,
  { begun, tell }: { begun: () => void; tell: (entry: JournalEntry) => void },
): Promise<number> {
  const ending = whenToEnd();
  try {
    const messages = await openStream(connection, { types: ['request'], signal: ending.signal });
    begun();
    await show(messages, { run, tell, isOver: () => ending.signal.aborted, end: () => ending.end(EXIT.ok) });
    if (!ending.signal.aborted)
      throw new UnreachableError('The daemon ended the stream: it stopped or restarts');
    return await ending.exitCode;
  } finally {
    // An open stream would keep the process.
    ending.end(EXIT.failed);
    ending.release();
  }
}

interface Showing {
  readonly run: TailRun;
  readonly tell: (entry: JournalEntry) => void;
  readonly isOver: () => boolean;
  readonly end: () => void;
}

async function show(messages: AsyncIterable<StreamMessage<'request'>>, showing: Showing): Promise<void> {
  const { run, tell, isOver, end } = showing;
  const isWanted = entryFilter(run);
  let shown = 0;
  for await (const { data } of messages) {
    if (isOver()) return;
    const entry = data as unknown as JournalEntry;
    if (!isWanted(entry)) continue;
    tell(entry);
    if (++shown === run.stopAfter) {
      end();
      return;
    }
  }
}
