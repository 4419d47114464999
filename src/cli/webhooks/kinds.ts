/** Event kinds as people write them: with the prefix of the vocabulary or without (contract §9.2). */
import type { EventKind } from '../../contract/webhooks.ts';
import { UsageError } from '../shell/failure.ts';
import { nearest } from '../../kernel/nearest.ts';

/** The contract's, told here again so that no schema library is loaded for them. */
export const KINDS = [
  'onboarding.completed',
  'onboarding.status_changed',
  'user.manual_review',
  'user.bank_link_updated',
  'vault.updated',
  'watchlist_check.completed',
] as const satisfies readonly EventKind[];

export const KINDS_HELP = KINDS.join(', ');

/** The member of an event's body that a status is in; kinds that aren't here have none. */
const STATUS_MEMBER: Partial<Record<EventKind, string>> = {
  'onboarding.completed': 'status',
  'onboarding.status_changed': 'new_status',
  'watchlist_check.completed': 'status',
};

/** A kind without its prefix; undefined for none of the contract's. */
export function bareKind(kind: string): EventKind | undefined {
  return KINDS.find((known) => kind === known || kind.endsWith(`.${known}`));
}

export function statusMember(kind: string): string | undefined {
  const bare = bareKind(kind);
  return bare && STATUS_MEMBER[bare];
}

/** A comma list of kinds, or `*`. Throws UsageError, which doesn't repeat what was typed. */
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
    const meant = nearest(kind, KINDS);
    throw new UsageError(
      `--events has a kind that doesn't exist${meant === undefined ? '' : `; did you mean ${meant}?`}`,
      `kinds are ${KINDS_HELP}`,
    );
  }
  return [...kinds];
}

/** Whether an event's kind is among those that `parseKinds` answered; whose prefix it is doesn't matter. */
export function isWanted(kind: string, wanted: readonly string[]): boolean {
  const bare = bareKind(kind) ?? kind;
  return wanted.some((one) => one === '*' || (bareKind(one) ?? one) === bare);
}
