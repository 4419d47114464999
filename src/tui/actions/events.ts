/** Sends an event again, under the same id, or a sample event about a user or business (contract §9, §11). */
import { counted } from '../../kernel/count-text.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { SAMPLE_EVENTS } from '../../fixtures/webhook-events.ts';
import { shortened } from '../../kernel/terminal-text.ts';
import { allPages } from '../../client/pages.ts';
import type { Source } from '../data/source.ts';
import type { Choice } from '../state/model.ts';
import { type ActionDefinition, idOf, labelledId, wordsOf } from './definition.ts';
import { firstAttempts } from './first-attempts.ts';
import { asEntity, entitySubject, NEEDS_ENTITY, asEvent, eventSubject } from './subjects.ts';

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

type Webhook = AnswerOf<'GET /_kyclone/webhooks'>['data'][number];

/** The kinds of the contract's facts. The list in the contract itself would load the schema library. */
const KINDS = Object.keys(SAMPLE_EVENTS);
const ALL = 'all';
const URL_CELLS = 60;

export const trigger: ActionDefinition = {
  name: 'trigger',
  label: 'Trigger an event',
  subject: entitySubject,
  needs: NEEDS_ENTITY,
  fields: () => [
    {
      name: 'kind',
      label: 'Kind',
      kind: 'loaded',
      isRequired: true,
      hint: 'A sample of this kind, about the selected user or business',
    },
    {
      name: 'webhook',
      label: 'Webhook endpoint',
      kind: 'loaded',
      isRequired: true,
      hint: 'A single endpoint gets the event whatever kinds it takes',
    },
  ],
  async choices(source, _subject, field) {
    const webhooks = await enabledWebhooks(source);
    return field === 'kind' ? kindChoices(webhooks) : webhookChoices(webhooks);
  },
  confirm(subject, { kind = '', webhook = '' }) {
    const isForAll = idOf(webhook) === ALL;
    return [
      `This records a sample event ${idOf(kind)} about ${asEntity(subject).fp_id}. Nothing else changes.`,
      isForAll
        ? wordsOf(kind) === NONE
          ? 'It goes to nobody: no enabled webhook endpoint takes this kind.'
          : `It is signed and goes to ${wordsOf(kind)} now.`
        : `It is signed and goes to ${wordsOf(webhook)} (${idOf(webhook)}) only, now.`,
    ];
  },
  async perform(source, subject, { kind = '', webhook = '' }) {
    const only = idOf(webhook) === ALL ? {} : { webhook_id: idOf(webhook) };
    const event = await source.client.call('POST /_kyclone/events/trigger', {
      query: source.space,
      body: { kind: idOf(kind), fp_id: asEntity(subject).fp_id, ...only },
    });
    const { tone, text } = await firstAttempts(source, event.id, event.deliveries);
    return {
      kind: 'done',
      notice: { tone, text: `${event.kind}: ${text}` },
      changes: true,
    };
  },
};

async function enabledWebhooks(source: Source): Promise<readonly Webhook[]> {
  const { client, space } = source;
  return await source.once('webhooks to trigger', async () => {
    const all = await allPages((page) =>
      client.call('GET /_kyclone/webhooks', { query: { ...space, ...page } }),
    );
    return all.filter(({ enabled }) => enabled);
  });
}

const NONE = 'no webhook';

/** Each with the number of webhooks that take it. */
function kindChoices(webhooks: readonly Webhook[]): Choice[] {
  return KINDS.map((kind) => {
    const count = webhooks.filter(({ kinds }) => kinds.includes('*') || kinds.includes(kind)).length;
    const words = count === 0 ? NONE : counted(count, 'webhook');
    return { value: labelledId(kind, words), label: `${kind} (${words})` };
  });
}

function webhookChoices(webhooks: readonly Webhook[]): Choice[] {
  return [
    { value: ALL, label: 'All that take this kind' },
    ...webhooks.map(({ id, url }) => {
      const shown = shortened(url, URL_CELLS);
      return { value: labelledId(id, shown), label: `${shown} (${id})` };
    }),
  ];
}
