/** The webhook endpoints that receive events: screen and actions (contract §9, §11). */
import { EVENT_KINDS } from '../facts.ts';
import { type ActionDefinition, choiceField, textField } from '../../../tui/actions/definition.ts';
import { firstAttempts } from './first-attempts.ts';
import { done, type InstanceThing, ON_INSTANCE, onThing, type Thing } from '../../../tui/actions/things.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/text/terminal-text.ts';
import type { Cell } from '../../../tui/state/model.ts';
import { listPane, listScreen } from '../../../tui/screens/list-pane.ts';
import { copiesOf } from '../../../tui/screens/space.ts';

type Webhook = AnswerOf<'GET /_kyclone/webhooks'>['data'][number];

export const webhooksScreen = listScreen(
  { name: 'webhook endpoints', says: 'where events are sent to', words: 'hooks receivers urls' },
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
        id,
        ...copiesOf(['webhooks', 'list'], `/_kyclone/webhooks/${id}`, space),
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

const ON_ENDPOINT = onThing('webhook', 'a webhook endpoint');
const ALL = '*';

export const webhook_create: ActionDefinition<InstanceThing> = {
  label: 'Create a webhook endpoint',
  ...ON_INSTANCE,
  fields: () => [
    textField('url', 'URL', 'The http or https address that gets the events', {
      problem: (value) =>
        /^https?:\/\//.test(value) && URL.canParse(value) ? undefined : 'An http or https URL',
    }),
    choiceField('kinds', 'Events', [
      { value: ALL, label: 'all' },
      ...EVENT_KINDS.map((value) => ({ value, label: `${value} only` })),
    ]),
  ],
  confirm: ({ instance, environment }, { url = '', kinds = ALL }) => [
    `${kinds === ALL ? 'Every event' : `Each ${kinds}`} of the ${environment} environment of instance ${instance} goes to ${url} from now on.`,
    'The signing secret is shown next.',
  ],
  async perform({ client, space }, _, { url = '', kinds = ALL }) {
    const body = { url, kinds: [kinds] };
    const created = await client.call('POST /_kyclone/webhooks', { query: space, body });
    return {
      type: 'secret',
      title: `Signing secret of webhook endpoint ${created.id}`,
      secret: created.secret ?? '',
      lines: [`kyclone webhooks secret ${created.id} shows it again.`],
    };
  },
};

export const webhook_switch: ActionDefinition<Thing> = {
  label: 'Enable or disable the endpoint',
  ...ON_ENDPOINT,
  forMany: true,
  confirm: ({ id, name, isEnabled }) => [
    `Webhook endpoint ${id} (${name}) is ${isEnabled ? 'disabled' : 'enabled'}.`,
    isEnabled
      ? 'A disabled endpoint gets nothing until it is enabled again.'
      : 'An enabled endpoint gets its events.',
  ],
  async perform({ client, space }, { id, isEnabled }) {
    const body = { enabled: !isEnabled };
    await client.call('PATCH /_kyclone/webhooks/{id}', { params: { id }, query: space, body });
    return done(`Webhook endpoint ${id} is ${isEnabled ? 'disabled' : 'enabled'}`);
  },
};

export const webhook_test: ActionDefinition<Thing> = {
  label: 'Send the endpoint a test event',
  ...ON_ENDPOINT,
  forMany: true,
  fields: () => [choiceField('kind', 'Kind', EVENT_KINDS, 'A sample of this kind about a made-up person')],
  confirm: ({ id, name }, { kind = '' }) => [
    `Webhook endpoint ${id} (${name}) gets a sample ${kind} now, and no other endpoint does.`,
    'The event is recorded. It is about a made-up person.',
  ],
  async perform(source, { id }, { kind = '' }) {
    const { client, space } = source;
    const body = { kind, webhook_id: id };
    const event = await client.call('POST /_kyclone/events/trigger', { query: space, body });
    const { tone, text } = await firstAttempts(source, event.id, event.deliveries);
    return done(text, tone);
  },
};

export const webhook_delete: ActionDefinition<Thing> = {
  label: 'Delete the webhook endpoint',
  ...ON_ENDPOINT,
  forMany: true,
  confirm: ({ id, name }) => [
    `Webhook endpoint ${id} (${name}) is deleted with its deliveries.`,
    'Pending deliveries to it stop, and its secret is lost.',
  ],
  async perform({ client, space }, { id }) {
    await client.call('DELETE /_kyclone/webhooks/{id}', { params: { id }, query: space });
    return done(`Webhook endpoint ${id} is deleted`);
  },
};
