/** What the daemon's stream reports, as the inspector needs it: gathered, and at most every two and a half seconds. */
import type { StreamMessage } from '../../client/server-sent-events.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import type { Happening } from '../state/model.ts';

/** Updates without user input are drawn at most twelve times a second. */
export const FRAME_MS = Math.ceil(SECOND_MS / 12);

/**
 * Changes by other clients are reported at most every two and a half seconds, the first at once. A list that moves
 * faster is unreadable, and each move sends all of its rows to the terminal.
 */
const REPORT_MS = 2.5 * SECOND_MS;

/**
 * A request that only reads changes nothing. A read of the control plane, as the inspector makes them, is not
 * reported at all.
 */
export function happeningOf({ type, data }: StreamMessage): Happening | undefined {
  if (type !== 'request') return type;
  const { method, path } = data as { method?: unknown; path?: unknown };
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && typeof path === 'string' && path.startsWith('/_kyclone/')) return undefined;
  return isRead ? 'read' : 'request';
}

/**
 * Gathers happenings and reports them together: the first with the next frame, later ones `REPORT_MS` after the last
 * report.
 */
export function batched(report: (types: ReadonlySet<Happening>) => void) {
  let gathered = new Set<Happening>();
  let timer: NodeJS.Timeout | undefined;
  let hasCeased = false;
  function reportGathered(): void {
    timer = undefined;
    if (gathered.size === 0) return;
    const types = gathered;
    gathered = new Set();
    timer = setTimeout(reportGathered, REPORT_MS);
    report(types);
  }
  return {
    note(happening: Happening | undefined): void {
      if (happening === undefined || hasCeased) return;
      gathered.add(happening);
      timer ??= setTimeout(reportGathered, FRAME_MS);
    },
    /** Stops reporting. */
    cease(): void {
      hasCeased = true;
      clearTimeout(timer);
    },
  };
}
