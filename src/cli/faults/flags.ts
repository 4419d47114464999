/** What `faults add` takes: a preset, and what is said instead of it or beside it (contract §11). */
import { custom, option, string } from '@oclif/core/flags';
import { FAULT_PRESETS, findPreset } from '../../contract/fault-presets.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { durationFlag } from '../shell/durations.ts';
import { UsageError } from '../shell/failure.ts';
import { integerFlag } from '../shell/flags.ts';

export type FaultRule = AnswerOf<'GET /_kyclone/faults/{id}'>;
type NewFault = RequestOf<'POST /_kyclone/faults'>['body'];

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const ABORTS = ['connection', 'body'] as const;
const EVERY_PATH = '/**';

/** `0.2` or `20%`. */
const probabilityFlag = custom<number>({
  helpValue: 'P',
  parse: (text, _context, { name }) => {
    const [, digits, percent] = /^(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(%)?$/.exec(text) ?? [];
    const value = Number(digits) / (percent === undefined ? 1 : 100);
    if (value > 0 && value <= 1) return Promise.resolve(value);
    return Promise.reject(
      new UsageError(`--${name} takes a number above 0 and up to 1, or a percentage: 20%`),
    );
  },
});

export const faultFlags = {
  method: option({ summary: 'only requests of this method', options: METHODS })(),
  path: string({
    summary: 'only requests to these paths: * is one segment, ** any number; all unless given',
    helpValue: 'GLOB',
  }),
  preset: option({
    summary: 'begin with one of `faults presets`',
    options: FAULT_PRESETS.map(({ name }) => name),
  })(),
  status: integerFlag({ summary: 'answer with this status', min: 400, max: 599, helpValue: 'STATUS' }),
  code: string({ summary: 'code of that answer, fault_injected unless given', helpValue: 'CODE' }),
  latency: durationFlag({ summary: 'wait first: 1500 (milliseconds), 2s, 1m; a minute at most' }),
  abort: option({ summary: 'cut the connection: before an answer, or within its body', options: ABORTS })(),
  times: integerFlag({ summary: 'only so many requests', min: 1, helpValue: 'N' }),
  probability: probabilityFlag({ summary: 'only some of the requests, by chance: 0.2 or 20%' }),
  seed: string({ summary: 'the same seed, the same requests that --probability picks', helpValue: 'TEXT' }),
};

interface FaultFlags {
  readonly method?: NewFault['match']['method'] | undefined;
  readonly path?: string | undefined;
  readonly preset?: string | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly latency?: number | undefined;
  readonly abort?: NewFault['abort'] | undefined;
  readonly times?: number | undefined;
  readonly probability?: number | undefined;
  readonly seed?: string | undefined;
}

/** The rule that flags describe; what is given goes before what the preset says. Throws UsageError. */
export function faultOf(flags: FaultFlags): NewFault {
  const { method, path = EVERY_PATH, preset, status, code, latency, abort, times, probability, seed } = flags;
  const rule = {
    match: { path, ...(method !== undefined && { method }) },
    ...(preset !== undefined && findPreset(preset)?.rule),
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(latency !== undefined && { latency_ms: latency }),
    ...(abort !== undefined && { abort }),
    ...(times !== undefined && { times }),
    ...(probability !== undefined && { probability }),
    ...(seed !== undefined && { seed }),
  };
  if (rule.status !== undefined || rule.latency_ms !== undefined || rule.abort !== undefined) return rule;
  throw new UsageError('What is to go wrong? --status, --latency, --abort or --preset is to say so');
}
