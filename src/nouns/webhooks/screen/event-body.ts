/** One event as the daemon keeps it, and its body: on its own screen, and beside the attempts to deliver it. */
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Source } from '../../../tui/data/source.ts';
import type { Row } from '../../../tui/state/model.ts';
import type { PaneDefinition } from '../../../tui/screens/definition.ts';
import { JSON_COLUMNS, jsonRows } from '../../../tui/screens/json-rows.ts';
import { spacedPath } from '../../../tui/screens/space.ts';

export type Event = AnswerOf<'GET /_kyclone/events'>['data'][number];

export const BODY_PANE = 'Body';

export const eventBodyPane: PaneDefinition = {
  title: BODY_PANE,
  columns: JSON_COLUMNS,
  empty: 'This event no longer exists',
  changesWith: [],
  load: async (source, { params: { event_id = '' } }) => {
    const event = await findEvent(source, event_id);
    const rows = event === undefined ? [] : jsonRows(event.body, copiesOfEvent(event_id, source));
    return { rows, record: event?.body, next: null };
  },
};

/** Filters the list by the id, because a single event has no endpoint. */
export async function findEvent(source: Source, event_id: string): Promise<Event | undefined> {
  const { client, space } = source;
  return await source.once(`event ${event_id}`, async () => {
    const { data } = await client.call('GET /_kyclone/events', { query: { ...space, event_id } });
    return data[0];
  });
}

/** The copied command and request of an event. No command shows a single event. */
export function copiesOfEvent(id: string, { space }: Source): Pick<Row, 'id' | 'command' | 'call'> {
  const path = spacedPath(`/_kyclone/events?event_id=${id}`, space);
  return { id, command: ['api', 'GET', path], call: { method: 'GET', path } };
}
