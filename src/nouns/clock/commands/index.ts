import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import {
  AT_HELP,
  clockState,
  clockView,
  movedView,
  PATIENCE_MS,
  type ClockState,
  type Moved,
} from './clock.ts';
import { derived, type From } from '../../../cli/shell/derived.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { DURATION_HELP, writtenDuration } from '../../../cli/shell/times.ts';
import type { Style } from '../../../cli/shell/output.ts';

/** The time to move to: an argument, or the flag for scripts that name it. */
const timeArg = { time: stringArg({ description: AT_HELP }) };
const atFlag = { at: string({ summary: 'the same as TIME', helpValue: 'TIME' }) };

interface Times {
  readonly args: { readonly time: string | undefined };
  readonly flags: { readonly at: string | undefined };
}

/** The one time that is given; undefined without one. Throws UsageError for two. */
function timeOf({ args: { time }, flags: { at } }: Times): string | undefined {
  if (time !== undefined && at !== undefined)
    throw new UsageError('Only one time can be given: TIME or --at');
  return time ?? at;
}

/** How a move is shown: with the new state of the clock for people, as the API's response for data output. */
const moved = {
  timeoutMs: PATIENCE_MS,
  beside: async (_: Moved, _given: object, { client }: From): Promise<ClockState> => await clockState(client),
  view: (result: Moved, style: Style, _: object, state: ClockState): string =>
    movedView(result, state, style),
};

export default {
  'clock:get': derived('GET /_kyclone/clock', {
    summary: 'Show what time it is in the instance',
    aliases: ['clock:show'],
    examples: ['', '--json'],
    view: clockView,
  }),
  'clock:advance': derived('PUT /_kyclone/clock', {
    ...moved,
    summary: 'Advance the clock at once and run all work that falls due, in order',
    description:
      'Delayed outcomes, expiries and webhook attempts run each at its own time. A receiver that hangs makes it wait: ' +
      '15 s at each attempt. A frozen clock stays frozen, at the new time. Signatures of webhooks show the real time, unless ' +
      'the setting webhooks.timestamp is clock.',
    examples: ['2m', '90s --json', 'P1DT12H'],
    args: { by: stringArg({ description: DURATION_HELP, required: true }) },
    send: ({ args }) => ({ action: 'advance' as const, by: writtenDuration(args.by, 'BY') }),
  }),
  'clock:freeze': derived('PUT /_kyclone/clock', {
    ...moved,
    summary: 'Stop the clock, now or at a time; work that falls due on the way runs',
    examples: ['', '2026-12-01T09:00:00Z'],
    args: timeArg,
    flags: atFlag,
    send: (given) => ({ action: 'freeze' as const, at: timeOf(given) }),
  }),
  'clock:offset': derived('PUT /_kyclone/clock', {
    ...moved,
    summary: 'Move the clock by a length of time, forward or back',
    description:
      'Back is a minus sign: -2h, or --by -2h. A duration that begins with -P needs --by=-PT2H, or -- before it. Work that falls ' +
      'due on the way forward runs; what has expired stays so on the way back.',
    examples: ['1h', '-2h', '--by=-PT2H'],
    args: { by: stringArg({ description: DURATION_HELP }) },
    flags: { by: string({ summary: 'the same, as a flag', helpValue: 'DURATION' }) },
    send: ({ args, flags }) => {
      const given = [args.by, flags.by].filter((text) => text !== undefined);
      const [by] = given;
      if (by === undefined || given.length > 1)
        throw new UsageError('By how much? One length of time, such as -2h');
      return { action: 'offset' as const, by: writtenDuration(by, args.by === undefined ? '--by' : 'BY') };
    },
  }),
  'clock:resume': derived('PUT /_kyclone/clock', {
    ...moved,
    summary: 'Go back to real time',
    examples: ['', '--field now'],
    send: () => ({ action: 'resume' as const }),
  }),
  'clock:set': derived('PUT /_kyclone/clock', {
    ...moved,
    summary: 'Set the clock to a time, from which it runs on; work that falls due on the way runs',
    examples: ['2026-12-01T09:00:00Z', '2027-01-01T00:00:00Z --json'],
    args: timeArg,
    flags: atFlag,
    send: (given) => {
      const at = timeOf(given);
      if (at === undefined) throw new UsageError('clock set needs a time, such as 2026-12-01T09:00:00Z');
      return { action: 'set' as const, at };
    },
  }),
};
