/** A drawn timeline: a line through each day, newest first, with a mark for each entry. */
import type { ReactElement } from 'react';
import { printable } from '../../kernel/text/terminal-text.ts';
import { TIMELINE } from '../../nouns/entities/screen/timeline.ts';
import type { PaneDefinition } from '../../tui/screens/definition.ts';
import type { Row } from '../../tui/state/model.ts';
import { textOf, toneOf } from '../../tui/state/rows.ts';
import { hashOf } from '../routes.ts';
import './timeline.css';

export function isTimeline({ title }: PaneDefinition): boolean {
  return title === TIMELINE;
}

/**
 * Draws the entries with what, by whom and why, grouped by day; each leads to what it is about. Their tones only repeat
 * what the titles state.
 */
export function DrawnTimeline({ rows, empty }: { rows: readonly Row[]; empty: string }): ReactElement {
  const days = groupedByDay(
    rows.map((row) => ({ ...row, at: `${textOf(row.cells[0]).replace(' ', 'T')}Z` })),
  );
  return (
    <div className="timeline-pane" tabIndex={0} role="region" aria-label="Timeline, drawn">
      <section className="timeline" aria-label="What happened">
        {days.length === 0 && <p className="timeline-empty">{printable(empty)}</p>}
        {days.map(({ day, heading, entries }) => (
          <div key={day}>
            <div role="heading" aria-level={2} className="timeline-day">
              {heading}
            </div>
            <ol>
              {entries.map(({ entry, time }, index) => (
                <Entry key={index} row={entry} at={entry.at} time={time} />
              ))}
            </ol>
          </div>
        ))}
      </section>
    </div>
  );
}

function Entry({ row, at, time }: { row: Row; at: string; time: string }): ReactElement {
  const [, kind, what, by, reason] = row.cells;
  const title = printable(textOf(what));
  const detail = [kind, by, reason]
    .map((cell) => printable(textOf(cell)).trim())
    .filter((text) => text !== '' && text !== '-')
    .join(' · ');
  return (
    <li className={`is-${toneOf(what)}`}>
      <time dateTime={at}>{time}</time>
      <span aria-hidden="true" className="timeline-mark" />
      <div className="timeline-text">
        {row.opens === undefined ? title : <a href={hashOf({ place: row.opens })}>{title}</a>}
        <div className="timeline-detail">{detail}</div>
      </div>
    </li>
  );
}

// Entries by day, newest first.

const HEADING_FORMAT = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  weekday: 'short',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
});

/** In UTC. Entries of one moment keep their order. Times that can't be read come last, under their own text. */
export function groupedByDay<Entry extends { readonly at: string }>(entries: readonly Entry[]) {
  const days = new Map<string, { heading: string; entries: { entry: Entry; time: string }[] }>();
  const timed = entries.map((entry) => ({ entry, at: new Date(entry.at) }));
  timed.sort((a, b) => (b.at.getTime() || -Infinity) - (a.at.getTime() || -Infinity) || 0);
  for (const { entry, at } of timed) {
    const isKnown = !Number.isNaN(at.getTime());
    const iso = isKnown ? at.toISOString() : '';
    const day = isKnown ? iso.slice(0, 10) : entry.at;
    const found = days.get(day) ?? {
      heading: isKnown ? HEADING_FORMAT.format(at).replace(',', '') : entry.at,
      entries: [],
    };
    found.entries.push({ entry, time: iso.slice(11, 19) });
    days.set(day, found);
  }
  return [...days].map(([day, rest]) => ({ day, ...rest }));
}
