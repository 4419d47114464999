/**
 * Event kinds as people write them, with the prefix of the vocabulary or without (contract §9.2), and the shared
 * flags of the webhook commands.
 */
import { string as stringArg } from '@oclif/core/args';
import { custom, string } from '@oclif/core/flags';
import { EVENT_KINDS, type EventKind } from '../facts.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { SAMPLE_EVENTS } from '../../../fixtures/webhook-events.ts';
import { didYouMean } from '../../../kernel/text/nearest.ts';

export const KINDS_HELP = EVENT_KINDS.join(', ');

/** A kind without its prefix; undefined if the contract has no such kind. */
export function bareKind(kind: string): EventKind | undefined {
  return EVENT_KINDS.find((known) => kind === known || kind.endsWith(`.${known}`));
}

/** The member of an event's body that contains a status; undefined for a kind without one. */
export function statusMember(kind: string): string | undefined {
  const bare = bareKind(kind);
  return bare && SAMPLE_EVENTS[bare].status?.member;
}

/** A comma-separated list of kinds, or `*`. Throws UsageError, which doesn't contain the input. */
export function parseKinds(text: string): string[] {
  const kinds = new Set(
    text
      .split(',')
      .map((kind) => kind.trim())
      .filter((kind) => kind !== ''),
  );
  if (kinds.size === 0) throw new UsageError('--events is empty', `kinds are ${KINDS_HELP}`);
  if (kinds.has('*')) return ['*'];
  for (const kind of kinds) {
    if (bareKind(kind) !== undefined) continue;
    throw new UsageError(
      `--events has a kind that doesn't exist${didYouMean(kind, EVENT_KINDS)}`,
      `kinds are ${KINDS_HELP}`,
    );
  }
  return [...kinds];
}

/** Whether an event's kind is among those that `parseKinds` returned. The prefix is ignored. */
export function isWanted(kind: string, wanted: readonly string[]): boolean {
  const bare = bareKind(kind) ?? kind;
  return wanted.some((one) => one === '*' || (bareKind(one) ?? one) === bare);
}

export const kindsFlag = custom<string[]>({
  helpValue: 'KIND,...',
  parse: (text) => Promise.resolve(parseKinds(text)),
});

export const secretFlag = string({
  summary: 'a fixed secret, whsec_...: the text itself, @FILE, - for stdin or ? for a prompt',
  helpValue: 'SECRET',
});

export const EVENTS_SUMMARY = `only these kinds, with or without their prefix: ${KINDS_HELP}`;

export const webhookArg = {
  id: stringArg({ description: 'id of a webhook endpoint (whk_...)', required: true }),
};
