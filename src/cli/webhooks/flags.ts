/** Flags that the commands about webhooks share. */
import { string as stringArg } from '@oclif/core/args';
import { custom, string } from '@oclif/core/flags';
import { systemClock } from '../../kernel/clock.ts';
import { UsageError } from '../shell/failure.ts';
import { KINDS_HELP, parseKinds } from './kinds.ts';
import { parseMoment, type Moment } from './moments.ts';

/** A time of a clock, as epoch ms. */
export const timeFlag = custom<number>({
  helpValue: 'TIME',
  parse: (text, _context, { name }) => {
    const moment = text === 'now' ? { at: systemClock.now() } : parseMoment(text);
    return moment !== undefined && 'at' in moment
      ? Promise.resolve(moment.at)
      : Promise.reject(new UsageError(`--${name} takes a time, such as 2026-01-31T12:00:00Z, or now`));
  },
});

/** A time, or how long ago it was. */
export const momentFlag = custom<Moment>({
  helpValue: 'TIME',
  parse: (text, _context, { name }) => {
    const moment = parseMoment(text);
    return moment === undefined
      ? Promise.reject(new UsageError(`--${name} takes a time (2026-01-31T12:00:00Z) or how long ago (10m)`))
      : Promise.resolve(moment);
  },
});

export const kindsFlag = custom<string[]>({
  helpValue: 'KIND,...',
  parse: (text) => Promise.resolve(parseKinds(text)),
});

export const secretFlag = string({
  summary: 'a fixed secret, whsec_...: the text itself, @FILE, - for stdin or ? to be asked',
  helpValue: 'SECRET',
});

export const EVENTS_SUMMARY = `only these kinds, with or without their prefix: ${KINDS_HELP}`;

export const webhookArg = {
  id: stringArg({ description: 'id of a webhook endpoint (whk_...)', required: true }),
};
