/** Interrupted scenarios: deletes what a scenario has created, with its own steps, and names what remains. */
import { CliError } from '../shell/failure.ts';
import { whenToEnd } from '../shell/ending.ts';
import type { Exchange, RawRequest } from '../../client/client.ts';
import type { Fixture } from '../../client/fixtures/index.ts';

export interface Playing {
  /** After it fires, only deletions are sent. */
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

class Interrupted extends Error {}

/** Throws when the command was interrupted. */
export function requireGoingOn({ signal }: Playing): void {
  if (signal.aborted) throw new Interrupted();
}

/**
 * Runs the work until a signal comes; then the command ends as if by that signal. A second signal ends it at once.
 */
export async function untilInterrupted<T>(
  note: Playing['note'],
  work: (playing: Playing) => Promise<T>,
): Promise<T> {
  const ending = whenToEnd();
  try {
    return await work({ signal: ending.signal, note });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new CliError('Interrupted; nothing was compared', {
      code: 'cancelled',
      exitCode: await ending.exitCode,
      hint: 'the transcript up to that point is kept: --resume continues from there',
    });
  } finally {
    ending.release();
  }
}

/** A side that refused the key, or is live, gets no more requests. */
function mayGetRequests(error: unknown): boolean {
  return error instanceof Interrupted || (error as { code?: unknown }).code === 'remote_unreachable';
}

export interface Unfinished {
  readonly name: string;
  readonly fixture: Fixture;
  /** The first step that wasn't played or got no response. */
  readonly from: number;
  /** Undefined if an earlier response lacks a value that the step needs: then there is nothing to delete. */
  readonly request: (index: number) => Promise<RawRequest | undefined>;
  readonly send: (request: RawRequest) => Promise<Exchange<Buffer> | { readonly skipped: string }>;
}

export async function deleteWhatWasMade(
  { name, fixture, from, request, send }: Unfinished,
  cause: unknown,
  { note }: Playing,
): Promise<void> {
  if (!mayGetRequests(cause)) return;
  const left: string[] = [];
  let deleted = 0;
  for (const [index, { method }] of fixture.steps.entries()) {
    if (index < from || method !== 'DELETE') continue;
    const made = await request(index);
    if (!made) continue;
    if (await isGone(send(made))) deleted += 1;
    else left.push(`${method} ${made.path}`);
  }
  if (left.length > 0) note(`${name}: could not be deleted: ${left.join(', ')}`);
  else if (deleted > 0) note(`${name}: everything it created is deleted`);
}

async function isGone(answer: ReturnType<Unfinished['send']>): Promise<boolean> {
  const given = await answer.catch(() => undefined);
  return given !== undefined && !('skipped' in given) && (given.status < 400 || given.status === 404);
}
