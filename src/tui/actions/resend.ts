/** Sends an event again, under the same id (contract §9.1, §11). */
import type { ActionDefinition } from './definition.ts';
import { firstAttempts } from './first-attempts.ts';
import { asEvent, eventSubject } from './subjects.ts';

export const resend: ActionDefinition = {
  name: 'resend',
  label: 'Resend an event',
  subject: eventSubject,
  needs: 'Select an event or a delivery first',
  leavesTrace: true,
  forMany: true,
  fields: () => [],
  confirm(subject) {
    const { event_id, webhook_id } = asEvent(subject);
    return [
      `Event ${event_id} is sent again, with the same id and body and a new signature.`,
      webhook_id === undefined
        ? 'It goes to every enabled webhook endpoint that takes its kind.'
        : `It goes to webhook endpoint ${webhook_id} only.`,
    ];
  },
  async perform(source, subject) {
    const { event_id, webhook_id } = asEvent(subject);
    const { data } = await source.client.call('POST /_kyclone/events/{id}/resend', {
      params: { id: event_id },
      query: source.space,
      body: webhook_id === undefined ? {} : { webhook_id },
    });
    const ids = data.map(({ id }) => id);
    return { kind: 'done', notice: await firstAttempts(source, event_id, ids), changes: true };
  },
};
