/** The saved snapshots, newest first. The copied command compares one with the current state. */
import type { AnswerOf } from '../../contract/registry.ts';
import { countText } from '../../kernel/count-text.ts';
import { shortTime } from '../../kernel/terminal-text.ts';
import { MIB } from '../../kernel/units.ts';
import type { Source } from '../data/source.ts';
import type { Page, Row } from '../state/model.ts';
import type { PageQuery, ScreenDefinition } from './definition.ts';
import { defined } from '../../kernel/defined.ts';

type Snapshot = AnswerOf<'GET /_kyclone/snapshots'>['data'][number];

export const snapshotsScreen: ScreenDefinition = {
  name: 'snapshots',
  paletteName: 'snapshots',
  title: () => 'Snapshots',
  panes: [
    {
      title: 'Snapshots',
      columns: [
        { heading: 'NAME' },
        { heading: 'SAVED (UTC)' },
        { heading: 'SIZE', align: 'right' },
        { heading: 'SCHEMA', align: 'right', drop: 1 },
        { heading: 'HOLDS', grows: true },
      ],
      empty: 'No snapshots',
      changesWith: ['request'],
      isFeed: true,
      creates: 'snapshot_create',
      deletes: 'snapshot_delete',
      load: loadSnapshots,
    },
  ],
};

async function loadSnapshots({ client }: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await client.call('GET /_kyclone/snapshots', {
    query: { page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map(snapshotRow), next: meta.next, total: meta.count };
}

function snapshotRow(snapshot: Snapshot): Row {
  const { name, created_at: at, bytes, schema, counts, problem } = snapshot;
  const held = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [countText(what, count)] : []));
  const holds = problem ?? (held.join(', ') || 'nobody');
  return {
    data: snapshot,
    key: name,
    cells: [name, shortTime(at), sizeText(bytes), problem === undefined ? String(schema) : '?', holds],
    id: name,
    subject: {
      kind: 'thing',
      what: 'snapshot',
      id: name,
      name,
      isEnabled: problem === undefined,
      details: `${holds}, saved ${shortTime(at)} UTC`,
    },
    command: ['snapshot', 'diff', name],
    call: { method: 'GET', path: `/_kyclone/snapshots/${name}/diff` },
  };
}

function sizeText(bytes: number): string {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;
}
