/** Commands that users and businesses have alike, from one definition. */
import type { Arg } from '@oclif/core/interfaces';
import type { EntityKind } from '../facts.ts';
import type { BaseCommand } from '../../../cli/shell/base-command.ts';
import { businessArg, otherBusinessArg, otherUserArg, userArg } from '../../../cli/shell/flags.ts';

/** The argument is named as the parameter of the path. */
type EntityArg = { readonly [Name in 'fp_id' | 'fp_bid']?: Arg<string> };

export interface Kind {
  readonly kind: EntityKind;
  readonly topic: 'users' | 'businesses';
  readonly arg: EntityArg;
  readonly otherArg: { readonly other: Arg<string> };
  readonly id: string;
}

const KINDS: readonly Kind[] = [
  { kind: 'user', topic: 'users', arg: userArg, otherArg: otherUserArg, id: 'fp_id_…' },
  { kind: 'business', topic: 'businesses', arg: businessArg, otherArg: otherBusinessArg, id: 'fp_bid_…' },
];

/** A table of the commands of both, from their verbs. */
export function twins(
  commandsOf: (kind: Kind) => Readonly<Record<string, typeof BaseCommand<unknown>>>,
): Record<string, typeof BaseCommand<unknown>> {
  return Object.fromEntries(
    KINDS.flatMap((kind) =>
      Object.entries(commandsOf(kind)).map(([verb, command]) => [`${kind.topic}:${verb}`, command]),
    ),
  );
}

/** The id that was given; the parser requires the one or the other. */
export function idOf({ fp_id, fp_bid }: { readonly fp_id?: string; readonly fp_bid?: string }): string {
  return fp_id ?? fp_bid ?? '';
}
