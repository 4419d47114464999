/** A time as `--since` and `--at` take it. */
import type { Client } from '../../client/client.ts';
import { timestamp } from '../../kernel/clock.ts';
import { parseDuration } from '../../kernel/duration.ts';

/** A time of the clock (epoch ms), or a duration to go back from the present. */
export type Moment = { readonly at: number } | { readonly ago: string };

const DATE_TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

/** A date counts from its midnight in UTC. Undefined for what is neither a time nor a duration. */
export function parseMoment(text: string): Moment | undefined {
  if (DATE_TIME.test(text)) {
    const at = Date.parse(text);
    return Number.isNaN(at) ? undefined : { at };
  }
  const ms = parseDuration(text, 0);
  return ms !== undefined && ms >= 0 ? { ago: text } : undefined;
}

/** By the clock of the instance, which may be far from the machine's. */
export async function resolveMoment(moment: Moment, client: Client): Promise<string> {
  if ('at' in moment) return timestamp(moment.at);
  const now = Date.parse((await client.call('GET /_kyclone/clock')).now);
  return timestamp(now + (parseDuration(backwards(moment.ago), now) ?? 0));
}

/** Years and months are counted back from the present rather than forward from where they lead. */
function backwards(duration: string): string {
  return `-${duration.replace(/^\+/, '')}`;
}
