import { MIB } from '../../kernel/units.ts';
import { canRedraw } from './environment.ts';

/** A transfer that can be watched. */
export interface Progress {
  readonly update: (bytes: number) => void;
  /** Takes the bar away; more than once is harmless. */
  readonly end: () => void;
}

const LEAST_BYTES = MIB;
export const NO_PROGRESS: Progress = { update: () => undefined, end: () => undefined };

/** A bar on stderr for a transfer that takes a while, where somebody sits who can see it. */
export async function showProgress({
  title,
  bytes = 0,
  isWanted,
}: {
  title: string;
  bytes: number | undefined;
  isWanted: boolean;
}): Promise<Progress> {
  if (!isWanted || bytes < LEAST_BYTES || !canRedraw(process.stderr)) return NO_PROGRESS;
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar({
    format: `${title} [{bar}] {percentage}% of ${(bytes / MIB).toFixed(1)} MiB`,
    barsize: 30,
    stream: process.stderr,
    clearOnComplete: true,
    // Cut to the width by the library instead of by a mode of the terminal, which a signal would leave behind.
    linewrap: true,
  });
  bar.start(bytes, 0);
  return { update: (done) => bar.update(done), end: () => bar.stop() };
}
