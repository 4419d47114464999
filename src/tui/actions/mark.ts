/** Sets labels and tags (contract §10). */
import { LABELS, type Label } from '../../contract/facts/entities.ts';
import type { Source } from '../data/source.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
import { asEntity, entitySubject, NEEDS_ENTITY, type EntitySubject } from './subjects.ts';

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
  ],
  confirm(subject, { label: chosen = '' }) {
    const { fp_id } = asEntity(subject);
    return chosen === NONE ? [`${fp_id} has no label afterwards.`] : [`${fp_id} gets the label ${chosen}.`];
  },
  async perform(source, subject, { label: chosen = '' }) {
    const kind = LABELS.find((each) => each === chosen) ?? null;
    await setLabel(source, asEntity(subject), kind);
    return done(kind === null ? 'The label is removed' : `Labelled ${kind}`);
  },
};

async function setLabel({ client }: Source, { kind, fp_id }: EntitySubject, chosen: Label | null) {
  const body = { kind: chosen };
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
  ],
  check: (_, value) =>
    TAG.test(value) ? undefined : 'A tag has 1 to 64 letters, digits, spaces, and _ : . -',
  confirm: (subject, { tag: text = '' }) => [
    `${asEntity(subject).fp_id} gets the tag “${text}”.`,
    'Lists show it to everyone.',
  ],
  async perform({ client }, subject, { tag: text = '' }) {
    const { kind, fp_id } = asEntity(subject);
    const body = { tag: text };
    await (kind === 'business'
      ? client.call('POST /businesses/{fp_bid}/tags', { params: { fp_bid: fp_id }, body })
      : client.call('POST /users/{fp_id}/tags', { params: { fp_id }, body }));
    return done(`Tagged ${text}`);
  },
};

function done(text: string): ActionOutcome {
  return { kind: 'done', notice: { tone: 'good', text }, changes: true };
}
