/** One event as the daemon keeps it, and its body: on its own screen, and beside the attempts to deliver it. */
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Row } from '../../../tui/state/model.ts';
import type { PageQuery } from '../../../tui/screens/definition.ts';
import { recordPane } from '../../../tui/screens/list-pane.ts';
import { JSON_COLUMNS, jsonRows } from '../../../tui/screens/json-rows.ts';
import { copiesOf } from '../../../tui/screens/space.ts';

export type Event = AnswerOf<'GET /_kyclone/events'>['data'][number];

export const BODY_PANE = 'Body';

export const OF_EVENT = { empty: 'This event no longer exists', changesWith: [] } as const;

export const eventBodyPane = recordPane(findEvent, {
  ...OF_EVENT,
  title: BODY_PANE,
  columns: JSON_COLUMNS,
  page: ({ id, body }, source) => ({ rows: jsonRows(body, copiesOfEvent(id, source)), record: body }),
});

/** Filters the list by the id, because a single event has no endpoint. */
export async function findEvent(source: Source, { params: { event_id = '' } }: PageQuery) {
  const { client, space } = source;
  return await source.once(`event ${event_id}`, async () => {
    const { data } = await client.call('GET /_kyclone/events', { query: { ...space, event_id } });
    return data[0];
  });
}

/** The copied command and request of an event. No command shows a single event. */
export function copiesOfEvent(id: string, { space }: Source): Pick<Row, 'id' | 'command' | 'call'> {
  const { call } = copiesOf([], `/_kyclone/events?event_id=${id}`, space);
  return { id, command: ['api', 'GET', call.path], call };
}
