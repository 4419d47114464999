/** Code shared by the actions on clock, fault rules, snapshots, webhook endpoints, outcome rules and API keys. */
import type { FieldDefinition, Notice, Outcome, Row, Subject, ThingKind } from '../state/model.ts';
import { type ActionDefinition, textField } from './definition.ts';

export type Thing = Extract<Subject, { kind: 'thing' }>;
export type InstanceThing = Extract<Subject, { kind: 'instance' }>;

/** The subject of an action on the whole instance. Its name and environment are filled in when the action starts. */
export const ON_INSTANCE = {
  subject: (): InstanceThing => ({ kind: 'instance', instance: '', environment: 'sandbox' }),
  needs: 'Select an instance first',
} as const;

/** The subject of an action on a kind of thing; `called` is its name with an article, such as `a fault rule`. */
export function onThing(what: ThingKind, called: string): Pick<ActionDefinition<Thing>, 'subject' | 'needs'> {
  return {
    subject: (row: Row | undefined) =>
      row?.subject?.kind === 'thing' && row.subject.what === what ? row.subject : undefined,
    needs: `Select ${called} first`,
  };
}

/** `changes`: whether what is shown may have changed. */
export function done(text: string, tone: Notice['tone'] = 'good', changes = true): Outcome {
  return { type: 'done', notice: { tone, text }, changes };
}

/** An optional count. */
export function timesField(hint: string): FieldDefinition {
  return textField('times', 'How many times', hint, {
    isRequired: false,
    problem: (value) =>
      /^[1-9]\d{0,5}$/.test(value) ? undefined : 'Give a whole number from 1, or leave it empty',
  });
}
