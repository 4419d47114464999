/** A drawn timeline: a line through each day, newest first, with a mark for each entry. */
import type { ReactElement, ReactNode } from 'react';
import './timeline.css';

export interface TimelineEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly title: string;
  readonly tone: 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'accent';
  readonly detail?: ReactNode;
  /** Where the title leads to. */
  readonly href?: string | undefined;
}

export interface TimelineProps {
  readonly entries: readonly TimelineEntry[];
  /** Names the timeline for screen readers. */
  readonly label: string;
  /** The text for no entries. */
  readonly empty: string;
}

/** Draws the entries grouped by day. Their tones only repeat what the titles state. */
export function Timeline({ entries, label, empty }: TimelineProps): ReactElement {
  const days = groupedByDay(entries);
  return (
    <section className="timeline" aria-label={label}>
      {days.length === 0 && <p className="timeline-empty">{empty}</p>}
      {days.map(({ day, heading, entries: ofDay }) => (
        <div key={day}>
          <div role="heading" aria-level={2} className="timeline-day">
            {heading}
          </div>
          <ol>
            {ofDay.map(({ entry, time }, index) => (
              <li key={index} className={`is-${entry.tone}`}>
                <time dateTime={entry.at}>{time}</time>
                <span aria-hidden="true" className="timeline-mark" />
                <div className="timeline-text">
                  {entry.href === undefined ? entry.title : <a href={entry.href}>{entry.title}</a>}
                  {entry.detail !== undefined && <div className="timeline-detail">{entry.detail}</div>}
                </div>
              </li>
            ))}
          </ol>
        </div>
      ))}
    </section>
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
