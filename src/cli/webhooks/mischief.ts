/** What `webhooks trigger` does wrong on purpose: what a receiver should be able to stand. */
import { boolean } from '@oclif/core/flags';
import type { RequestOf } from '../../contract/registry.ts';
import { UsageError } from '../shell/failure.ts';
import { durationFlag } from '../shell/durations.ts';

export type Mischief = NonNullable<RequestOf<'POST /_kyclone/events/trigger'>['body']['mischief']>;

export const mischiefFlags = {
  duplicate: boolean({ summary: 'deliver each event twice, under the same id' }),
  shuffle: boolean({ summary: 'deliver the events in another order than they happened in' }),
  'bad-signature': boolean({ summary: 'sign with another secret; should be refused' }),
  skew: durationFlag({
    min: -Infinity,
    summary: 'sign for a time so far off; beyond 5 minutes that should be refused (-10m is the past)',
  }),
  'drop-first': boolean({ summary: 'lose the first attempt on its way' }),
};

/** Throws UsageError for what can't be told apart. */
export function mischiefOf(flags: {
  readonly duplicate: boolean;
  readonly shuffle: boolean;
  readonly 'bad-signature': boolean;
  readonly skew?: number | undefined;
  readonly 'drop-first': boolean;
}): Mischief {
  const { duplicate, shuffle, 'bad-signature': badSignature, skew, 'drop-first': dropFirst } = flags;
  if (dropFirst && (badSignature || skew !== undefined)) {
    throw new UsageError('--drop-first loses the one attempt that --bad-signature and --skew are about');
  }
  return {
    ...(duplicate && { duplicate }),
    ...(shuffle && { shuffle }),
    ...(badSignature && { bad_signature: true }),
    ...(skew !== undefined && { skew_ms: skew }),
    ...(dropFirst && { drop_first: true }),
  };
}
