/** Claims a case, or takes it over, for 15 minutes (contract §11). */
import { shortTime } from '../../kernel/terminal-text.ts';
import type { ActionDefinition } from './definition.ts';
import { asEntity, entitySubject, NEEDS_ENTITY } from './subjects.ts';

export const claim: ActionDefinition = {
  name: 'claim',
  label: 'Claim the case',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
  leavesTrace: true,
  forMany: true,
  fields: () => [],
  confirm: (subject, { operator = '' }) => [
    `${asEntity(subject).fp_id} is claimed by ${operator} for 15 minutes, in place of any other operator.`,
  ],
  async perform({ client, space }, subject) {
    const params = { fp_id: asEntity(subject).fp_id };
    const body = { take_over: true };
    const { until } = await client.call('POST /_kyclone/entities/{fp_id}/claim', {
      params,
      query: space,
      body,
    });
    const text = `The case is yours until ${shortTime(until)} UTC`;
    return { kind: 'done', notice: { tone: 'good', text }, changes: true };
  },
};
