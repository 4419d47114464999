/** Writes notes on an entity, and removes notes and tags (contract §10, §11). */
import { NOTE_LIMIT } from '../../contract/facts/cases.ts';
import { givenReason } from '../../kernel/reason.ts';
import type { Subject } from '../state/model.ts';
import type { ActionDefinition } from './definition.ts';
import { given, reasonField, recordLine } from './reasons.ts';
import { asEntity, entitySubject, isLongerThan, NEEDS_ENTITY, reasonProblem } from './subjects.ts';

type Written = Extract<Subject, { kind: 'note' | 'tag' }>;

export const note: ActionDefinition = {
  name: 'note',
  label: 'Write a note',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    {
      name: 'text',
      label: 'Note',
      kind: 'text',
      isRequired: true,
      hint: `At most ${NOTE_LIMIT} characters. Everyone who opens the case can read it`,
    },
  ],
  check(_, value) {
    if (givenReason(value) === undefined) return 'Write a note: blanks are not enough';
    return isLongerThan(value, NOTE_LIMIT) ? `A note has at most ${NOTE_LIMIT} characters` : undefined;
  },
  confirm: (subject, { text = '', operator = '' }) => [
    `${asEntity(subject).fp_id} gets the note “${text}”, by ${operator}.`,
  ],
  async perform({ client, space }, subject, { text = '' }) {
    const params = { fp_id: asEntity(subject).fp_id };
    await client.call('POST /_kyclone/entities/{fp_id}/notes', { params, query: space, body: { text } });
    return { kind: 'done', notice: { tone: 'good', text: 'The note is written' }, changes: true };
  },
};

export const remove: ActionDefinition = {
  name: 'remove',
  label: 'Remove the tag or note',
  subject: (row) => (row?.subject?.kind === 'note' || row?.subject?.kind === 'tag' ? row.subject : undefined),
  needs: 'Select a tag or a note first',
  leavesTrace: true,
  forMany: true,
  fields: () => [reasonField('reason', 'Reason')],
  check: (_, value) => reasonProblem(value),
  confirm(subject, { reason = '', operator = '' }) {
    const { kind, fp_id, id, text } = asWritten(subject);
    return [
      kind === 'tag'
        ? `The tag “${text}” of ${fp_id} is removed.`
        : `The note ${id} of ${fp_id} is deleted. Nobody can read it any more.`,
      recordLine(operator, reason),
    ];
  },
  async perform({ client, space }, subject, { reason }) {
    const body = given({ reason });
    const { kind, fp_id, owner, id } = asWritten(subject);
    if (kind === 'note') {
      const params = { fp_id, note_id: id };
      await client.call('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', { params, query: space, body });
    } else if (owner === 'business') {
      const params = { fp_bid: fp_id, tag_id: id };
      await client.call('DELETE /businesses/{fp_bid}/tags/{tag_id}', { params, body });
    } else await client.call('DELETE /users/{fp_id}/tags/{tag_id}', { params: { fp_id, tag_id: id }, body });
    return {
      kind: 'done',
      notice: { tone: 'good', text: `The ${kind} is ${kind === 'tag' ? 'removed' : 'deleted'}` },
      changes: true,
    };
  },
};

function asWritten(subject: Subject): Written {
  if (subject.kind === 'note' || subject.kind === 'tag') return subject;
  throw new TypeError(`neither a note nor a tag: ${subject.kind}`);
}
