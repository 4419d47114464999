/** The timeline of an entity: shared flags, help and view. */
import { option } from '@oclif/core/flags';
import { TIMELINE_KINDS } from '../../contract/facts/timeline.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { pageFlags, spaceFlags } from '../shell/flags.ts';
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
