import type { ClockState, Moved } from './moves.ts';
import { durationText } from '../shell/durations.ts';
import { facts } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

export function clockView(state: ClockState, style: Style): string {
  return facts(clockFacts(state), style);
}

/** What time it is after a move, and what was done on the way. */
export function movedView({ drained }: Moved, state: ClockState, style: Style): string {
  const work =
    drained === 0 ? 'nothing was due' : `${drained} ${drained === 1 ? 'piece' : 'pieces'} of due work`;
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
