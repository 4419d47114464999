/** The webhook endpoints that receive events (contract §9). */
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Cell, Page, Row } from '../../../tui/state/model.ts';
import type { PageQuery, ScreenDefinition } from '../../../tui/screens/definition.ts';
import { spacedCommand, spacedPath } from '../../../tui/screens/space.ts';
import { defined } from '../../../kernel/defined.ts';

type Webhook = AnswerOf<'GET /_kyclone/webhooks'>['data'][number];

export const webhooksScreen: ScreenDefinition = {
  name: 'webhooks',
  paletteName: 'webhook endpoints',
  title: () => 'Webhook endpoints',
  panes: [
    {
      title: 'Webhook endpoints',
      columns: [
        { heading: 'CREATED (UTC)', drop: 1 },
        { heading: 'STATE' },
        { heading: 'URL', grows: true, atLeast: 32 },
        { heading: 'EVENTS', atLeast: 12 },
        { heading: 'ENDPOINT', isId: true, atLeast: 12 },
      ],
      empty: 'No webhook endpoints: + creates one',
      changesWith: ['request'],
      creates: 'webhook_create',
      deletes: 'webhook_delete',
      load: loadWebhooks,
    },
  ],
};

async function loadWebhooks(source: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await source.client.call('GET /_kyclone/webhooks', {
    query: { ...source.space, page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map((each) => webhookRow(each, source)), next: meta.next, total: meta.count };
}

function webhookRow(webhook: Webhook, { space }: Source): Row {
  const { id, url, kinds, created_at: at, enabled } = webhook;
  const events = kinds.some((kind) => kind === '*') ? 'all' : kinds.join(', ');
  return {
    data: webhook,
    key: id,
    cells: [shortTime(at), stateCell(webhook), url, events, id],
    id,
    command: spacedCommand(['webhooks', 'list'], space),
    call: { method: 'GET', path: spacedPath(`/_kyclone/webhooks/${id}`, space) },
    subject: { kind: 'thing', what: 'webhook', id, name: url, details: events, isEnabled: enabled },
  };
}

function stateCell({ enabled, disabled_reason: why }: Webhook): Cell {
  if (enabled) return { text: 'enabled', tone: 'good' };
  return { text: why === null ? 'disabled' : `disabled: ${why}`, tone: 'warn' };
}
