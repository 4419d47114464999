/** The clock of the instance: reads it, moves it (contract §11, PUT clock), and shows it as text. */
import { counted } from '../../../kernel/text/count-text.ts';
import type { Client } from '../../../client/client.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { HOUR_MS } from '../../../kernel/numbers/units.ts';
import { durationText } from '../../../cli/shell/times.ts';
import { facts } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';

export type ClockState = AnswerOf<'GET /_kyclone/clock'>;
export type Moved = AnswerOf<'PUT /_kyclone/clock'>;
export type Move = RequestOf<'PUT /_kyclone/clock'>['body'];

/** Deliveries that fall due are attempted before the response, and a receiver may hang at each attempt. */
export const PATIENCE_MS = HOUR_MS;

export const AT_HELP = 'a time, such as 2026-12-01T09:00:00Z';

export async function moveClock(client: Client, move: Move): Promise<Moved> {
  return await client.call('PUT /_kyclone/clock', { body: move, timeoutMs: PATIENCE_MS });
}

export async function clockState(client: Client): Promise<ClockState> {
  return await client.call('GET /_kyclone/clock');
}

export function clockView(state: ClockState, style: Style): string {
  return facts(clockFacts(state), style);
}

/** The time after a move, and the work done during it. */
export function movedView({ drained }: Moved, state: ClockState, style: Style): string {
  const work = drained === 0 ? 'nothing was due' : `${counted(drained, 'piece')} of due work`;
  return facts({ ...clockFacts(state), ran: work }, style);
}

function clockFacts({ now, real_now, mode, offset_ms }: ClockState) {
  return {
    now,
    mode: { real: 'real time', offset: 'running, moved away from real time', frozen: 'frozen' }[mode],
    ...(mode !== 'real' && { 'real time': `${real_now} (${distanceText(offset_ms)})` }),
  };
}

function distanceText(offset: number): string {
  if (offset === 0) return 'the same';
  const nearly = durationText(offset).split(' ').slice(0, 2).join(' ');
  return `${nearly} ${offset > 0 ? 'earlier' : 'later'}`;
}
