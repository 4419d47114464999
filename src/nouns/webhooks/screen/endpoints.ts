/** The webhook endpoints that receive events (contract §9). */
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { Cell } from '../../../tui/state/model.ts';
import { listPane, listScreen } from '../../../tui/screens/list-pane.ts';
import { spacedCommand, spacedPath } from '../../../tui/screens/space.ts';

type Webhook = AnswerOf<'GET /_kyclone/webhooks'>['data'][number];

export const webhooksScreen = listScreen(
  'webhooks',
  'webhook endpoints',
  listPane('GET /_kyclone/webhooks', {
    title: 'Webhook endpoints',
    columns: [
      { heading: 'CREATED (UTC)', drop: 1, cell: ({ created_at: at }) => shortTime(at) },
      { heading: 'STATE', cell: stateCell },
      { heading: 'URL', grows: true, atLeast: 32, cell: 'url' },
      { heading: 'EVENTS', atLeast: 12, cell: eventsText },
      { heading: 'ENDPOINT', isId: true, atLeast: 12, cell: 'id' },
    ],
    empty: 'No webhook endpoints: + creates one',
    changesWith: ['request'],
    creates: 'webhook_create',
    deletes: 'webhook_delete',
    row: (webhook, { space }) => {
      const { id, url: name, enabled: isEnabled } = webhook;
      return {
        key: id,
        id,
        command: spacedCommand(['webhooks', 'list'], space),
        call: { method: 'GET', path: spacedPath(`/_kyclone/webhooks/${id}`, space) },
        subject: { kind: 'thing', what: 'webhook', id, name, details: eventsText(webhook), isEnabled },
      };
    },
  }),
);

function eventsText({ kinds }: Webhook): string {
  return kinds.some((kind) => kind === '*') ? 'all' : kinds.join(', ');
}

function stateCell({ enabled, disabled_reason: why }: Webhook): Cell {
  if (enabled) return { text: 'enabled', tone: 'good' };
  return { text: why === null ? 'disabled' : `disabled: ${why}`, tone: 'warn' };
}
