/** Sets labels and tags (contract §10). */
import { LABELS, type Label } from '../../contract/facts/entities.ts';
import type { Source } from '../data/source.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
import { given, reasonField, recordLine } from './reasons.ts';
import { asEntity, entitySubject, NEEDS_ENTITY, reasonProblem, type EntitySubject } from './subjects.ts';

const NONE = 'none';

export const label: ActionDefinition = {
  name: 'label',
  label: 'Label',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    {
      name: 'label',
      label: 'Label',
      kind: 'choice',
      choices: [...LABELS.map((value) => ({ value, label: value })), { value: NONE, label: 'no label' }],
      isRequired: true,
    },
    reasonField('reason', 'Reason', { isRequired: false }),
  ],
  requires: (field, { label: chosen }) => field === 'reason' && chosen !== 'active',
  check: (field, value) => (field === 'reason' ? reasonProblem(value) : undefined),
  confirm(subject, { label: chosen = '', reason = '', operator = '' }) {
    const { fp_id } = asEntity(subject);
    const done = chosen === NONE ? `${fp_id} has no label afterwards.` : `${fp_id} gets the label ${chosen}.`;
    return [done, recordLine(operator, reason)];
  },
  async perform(source, subject, { label: chosen = '', reason }) {
    const kind = LABELS.find((each) => each === chosen) ?? null;
    await setLabel(source, asEntity(subject), { kind, ...given({ reason }) });
    return done(kind === null ? 'The label is removed' : `Labelled ${kind}`);
  },
};

interface NewLabel {
  readonly kind: Label | null;
  readonly reason?: string;
}

async function setLabel({ client }: Source, { kind, fp_id }: EntitySubject, body: NewLabel) {
  await (kind === 'business'
    ? client.call('POST /businesses/{fp_bid}/label', { params: { fp_bid: fp_id }, body })
    : client.call('POST /users/{fp_id}/label', { params: { fp_id }, body }));
}

const TAG = /^[A-Za-z0-9 _:.-]{1,64}$/;

export const tag: ActionDefinition = {
  name: 'tag',
  label: 'Tag',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [
    {
      name: 'tag',
      label: 'Tag',
      kind: 'text',
      isRequired: true,
      hint: '1 to 64 letters, digits, spaces, and _ : . -. No personal data: a tag is stored in the clear',
    },
    reasonField('reason', 'Reason', { isRequired: false }),
  ],
  requires: (field, { tag: text = '' }) => field === 'reason' && /fraud/i.test(text),
  check: (field, value) =>
    field === 'reason'
      ? reasonProblem(value)
      : TAG.test(value)
        ? undefined
        : 'A tag has 1 to 64 letters, digits, spaces, and _ : . -',
  confirm: (subject, { tag: text = '', reason = '', operator = '' }) => [
    `${asEntity(subject).fp_id} gets the tag “${text}”.`,
    'Lists show it to everyone.',
    recordLine(operator, reason),
  ],
  async perform({ client }, subject, { tag: text = '', reason }) {
    const { kind, fp_id } = asEntity(subject);
    const body = { tag: text, ...given({ reason }) };
    await (kind === 'business'
      ? client.call('POST /businesses/{fp_bid}/tags', { params: { fp_bid: fp_id }, body })
      : client.call('POST /users/{fp_id}/tags', { params: { fp_id }, body }));
    return done(`Tagged ${text}`);
  },
};

function done(text: string): ActionOutcome {
  return { kind: 'done', notice: { tone: 'good', text }, changes: true };
}
