/** Finds the subjects of actions, and holds texts that actions share. */
import { personalReason } from '../../kernel/text/personal-text.ts';
import { REASON_LIMIT } from '../../nouns/access-log/facts.ts';
import { givenReason } from '../../kernel/text/text.ts';
import type { EntityKind, Row, Subject } from '../state/model.ts';

export type EntitySubject = Extract<Subject, { fp_id: string; kind: EntityKind }>;
export type FieldSubject = Extract<Subject, { kind: 'field' }>;
export type EventSubject = Extract<Subject, { kind: 'event' }>;

/** The entity of the row, or else of the screen. A field counts as its entity, a duplicate as itself. */
export function entitySubject(row: Row | undefined, screen: Subject | undefined): EntitySubject | undefined {
  return entityIn(row?.subject) ?? entityIn(screen);
}

/** The entity that a row or a screen stands for. */
export function entityIn(subject: Subject | undefined): EntitySubject | undefined {
  switch (subject?.kind) {
    case 'user':
    case 'business':
      return subject;
    case 'pair':
      return { kind: subject.owner, fp_id: subject.other };
    case 'field':
    case 'hit':
    case 'note':
    case 'tag':
      return { kind: subject.owner, fp_id: subject.fp_id };
    case 'stake':
      return { kind: subject.row, fp_id: subject[subject.row] };
    case 'event':
    case 'thing':
    case 'instance':
    case undefined:
      return undefined;
  }
}

export function fieldSubject(row: Row | undefined): FieldSubject | undefined {
  return row?.subject?.kind === 'field' ? row.subject : undefined;
}

export function eventSubject(row: Row | undefined, screen: Subject | undefined): EventSubject | undefined {
  return [row?.subject, screen].find((subject) => subject?.kind === 'event');
}

/** The subject of an action on a user or business. */
export const ON_ENTITY = { subject: entitySubject, needs: 'Select a user or a business first' } as const;

/** The reason of a decryption (contract §2.2). */
export function reasonProblem(reason: string): string | undefined {
  if (givenReason(reason) === undefined) return 'Give a reason: blanks are not enough';
  return longProblem('A reason', reason, REASON_LIMIT) ?? personalReason(reason);
}

/** Counts characters like the API, not UTF-16 units. */
export function isLongerThan(text: string, limit: number): boolean {
  return Array.from(text).length > limit;
}

/** `what`: what has the limit, such as `A name`. */
export function longProblem(what: string, text: string, limit: number): string | undefined {
  return isLongerThan(text, limit) ? `${what} has at most ${limit} characters` : undefined;
}
