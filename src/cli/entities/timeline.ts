/** The timeline of an entity: shared flags, help and view. */
import { option } from '@oclif/core/flags';
import { TIMELINE_KINDS, type TimelineKind } from '../../contract/facts/timeline.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import type { Client } from '../../client/client.ts';
import { pageFlags, pageQuery, spaceFlags, spaceQuery } from '../shell/flags.ts';
import { shortTime, table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { moreView } from './view.ts';

export type Timeline = AnswerOf<'GET /_kyclone/entities/{fp_id}/timeline'>;

export const TIMELINE_DESCRIPTION =
  'Runs, risk signals, decisions, labels and tags, vault writes by the names of their fields, documents, bank links, ' +
  'events with their deliveries, and who read what and why. No value is shown.';

export const timelineFlags = {
  kind: option({
    summary: 'only of this kind; repeatable',
    options: TIMELINE_KINDS,
    multiple: true,
    multipleNonGreedy: true,
  })(),
  ...pageFlags,
  ...spaceFlags,
};

interface TimelineFlags {
  readonly kind?: readonly TimelineKind[] | undefined;
  readonly cursor?: string | undefined;
  readonly 'page-size'?: number | undefined;
  readonly tenant?: string | undefined;
  readonly live: boolean;
}

/** Throws what the client throws. */
export async function readTimeline(client: Client, fpId: string, flags: TimelineFlags): Promise<Timeline> {
  return await client.call('GET /_kyclone/entities/{fp_id}/timeline', {
    params: { fp_id: fpId },
    query: { ...spaceQuery(flags), kinds: flags.kind?.join(','), ...pageQuery(flags) },
  });
}

export function timelineView({ data, meta }: Timeline, style: Style): string {
  const rows = data.map(({ at, kind, title, by, reason, details }) => [
    shortTime(at),
    kind,
    title,
    [
      ...(by === null ? [] : [`by ${by}`]),
      ...(reason === null ? [] : [`“${reason}”`]),
      ...(details.length === 0 ? [] : [details.join(' ')]),
    ].join('; ') || null,
  ]);
  const headings = ['AT (UTC)', 'KIND', 'WHAT', 'BY WHOM, WHY AND DETAILS'];
  return [table(headings, rows, style, 'Nothing happened'), ...moreView(meta, data.length, style)].join('\n');
}
