/** Advances, freezes and resumes the instance's clock (contract §11). */
import { parseDuration } from '../../kernel/duration.ts';
import { counted } from '../../kernel/count-text.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import type { RequestOf } from '../../contract/registry.ts';
import type { Source } from '../data/source.ts';
import type { ActionDefinition, ActionOutcome } from './definition.ts';
import { asInstance, done, ON_INSTANCE } from './things.ts';

const DUE = 'Work that is due by then runs at once: delayed outcomes, expiries, webhook attempts.';

export const clock_advance: ActionDefinition = {
  name: 'clock_advance',
  label: 'Advance the clock',
  ...ON_INSTANCE,
  fields: () => [
    {
      name: 'by',
      label: 'By',
      kind: 'text',
      isRequired: true,
      hint: 'How much time passes: 90s, 15m, 2h, 3d, or P1DT12H',
    },
  ],
  check: (_, value) =>
    (parseDuration(value, 0) ?? 0) > 0
      ? undefined
      : 'Give a number with ms, s, m, h or d, such as 90s, or P1DT12H',
  confirm: (subject, { by = '' }) => [
    `The clock of instance ${asInstance(subject).instance} moves forward by ${by}, in both environments.`,
    DUE,
  ],
  perform: (source, _, { by = '' }) => moved(source, { action: 'advance', by }),
};

export const clock_freeze: ActionDefinition = {
  name: 'clock_freeze',
  label: 'Freeze the clock',
  ...ON_INSTANCE,
  fields: () => [],
  confirm: (subject) => [
    `The clock of instance ${asInstance(subject).instance} stops, in both environments.`,
    'Nothing becomes due until the clock is advanced or resumed.',
  ],
  perform: (source) => moved(source, { action: 'freeze' }),
};

export const clock_resume: ActionDefinition = {
  name: 'clock_resume',
  label: 'Resume the clock',
  ...ON_INSTANCE,
  fields: () => [],
  confirm: (subject) => [
    `The clock of instance ${asInstance(subject).instance} follows real time again, in both environments.`,
    DUE,
  ],
  perform: (source) => moved(source, { action: 'resume' }),
};

async function moved(
  { client }: Source,
  body: RequestOf<'PUT /_kyclone/clock'>['body'],
): Promise<ActionOutcome> {
  const { now, drained } = await client.call('PUT /_kyclone/clock', { body });
  return done(`The clock shows ${shortTime(now)}; ${counted(drained, 'due task')} ran`);
}
