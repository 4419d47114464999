/** Writes notes on an entity, removes notes and tags, and unlinks owners (contract §10, §11). */
import { NOTE_LIMIT } from '../../contract/facts/cases.ts';
import { givenReason } from '../../kernel/reason.ts';
import type { Source } from '../data/source.ts';
import type { Subject } from '../state/model.ts';
import type { ActionDefinition } from './definition.ts';
import { given, reasonField, recordLine } from './reasons.ts';
import { asEntity, entitySubject, isLongerThan, NEEDS_ENTITY, reasonProblem } from './subjects.ts';

type Removable = Extract<Subject, { kind: 'note' | 'tag' | 'stake' }>;

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
  label: 'Remove the tag, note or owner',
  subject: (row) => (row?.subject !== undefined && isRemovable(row.subject) ? row.subject : undefined),
  needs: 'Select a tag, a note or an owner first',
  leavesTrace: true,
  forMany: true,
  fields: () => [reasonField('reason', 'Reason')],
  check: (_, value) => reasonProblem(value),
  confirm: (subject, { reason = '', operator = '' }) => [
    removalText(asRemovable(subject)),
    recordLine(operator, reason),
  ],
  async perform(source, subject, { reason }) {
    const text = await removed(source, asRemovable(subject), given({ reason }));
    return { kind: 'done', notice: { tone: 'good', text }, changes: true };
  },
};

function removalText(subject: Removable): string {
  switch (subject.kind) {
    case 'tag':
      return `The tag “${subject.text}” of ${subject.fp_id} is removed.`;
    case 'note':
      return `The note ${subject.id} of ${subject.fp_id} is deleted. Nobody can read it any more.`;
    case 'stake':
      return `${subject.user} is no longer an owner of ${subject.business}. Both stay as they are.`;
  }
}

/** Returns what was done. */
async function removed(
  { client, space }: Source,
  subject: Removable,
  body: { readonly reason?: string },
): Promise<string> {
  if (subject.kind === 'stake') {
    const params = { fp_bid: subject.business, fp_id: subject.user };
    await client.call('DELETE /businesses/{fp_bid}/owners/{fp_id}', { params, body });
    return 'The owner is unlinked';
  }
  const { kind, fp_id, owner, id } = subject;
  if (kind === 'note') {
    const params = { fp_id, note_id: id };
    await client.call('DELETE /_kyclone/entities/{fp_id}/notes/{note_id}', { params, query: space, body });
    return 'The note is deleted';
  }
  if (owner === 'business') {
    const params = { fp_bid: fp_id, tag_id: id };
    await client.call('DELETE /businesses/{fp_bid}/tags/{tag_id}', { params, body });
  } else await client.call('DELETE /users/{fp_id}/tags/{tag_id}', { params: { fp_id, tag_id: id }, body });
  return 'The tag is removed';
}

function isRemovable(subject: Subject): subject is Removable {
  return subject.kind === 'note' || subject.kind === 'tag' || subject.kind === 'stake';
}

function asRemovable(subject: Subject): Removable {
  if (isRemovable(subject)) return subject;
  throw new TypeError(`neither a note nor a tag nor an owner: ${subject.kind}`);
}
