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
  /** A name of the IANA database; that of the browser without it. */
  readonly timeZone?: string | undefined;
  /** The level of the headings of the days; 3 without it. */
  readonly level?: number | undefined;
}

/** Draws the entries grouped by day. Their tones only repeat what the titles state. */
export function Timeline({ entries, label, empty, timeZone, level = 3 }: TimelineProps): ReactElement {
  const days = groupedByDay(entries, timeZone);
  return (
    <section className="timeline" aria-label={label}>
      {days.length === 0 && <p className="timeline-empty">{empty}</p>}
      {days.map(({ day, heading, entries: ofDay }) => (
        <div key={day}>
          <div role="heading" aria-level={level} className="timeline-day">
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

interface DayOf<Entry> {
  /** `2026-03-05` in the time zone. */
  readonly day: string;
  /** `Thu 5 March 2026`. */
  readonly heading: string;
  readonly entries: readonly { readonly entry: Entry; /** `14:03:09` */ readonly time: string }[];
}

/**
 * Entries of one moment keep their order. `timeZone` is a name of the IANA database; undefined means that of the
 * browser. Times that can't be read come last, under their own text.
 */
export function groupedByDay<Entry extends { readonly at: string }>(
  entries: readonly Entry[],
  timeZone: string | undefined,
): DayOf<Entry>[] {
  const zone = timeZone === undefined ? {} : { timeZone };
  const dayFormat = new Intl.DateTimeFormat('en-CA', {
    ...zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const headingFormat = new Intl.DateTimeFormat('en-GB', {
    ...zone,
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  const timeFormat = new Intl.DateTimeFormat('en-GB', { ...zone, timeStyle: 'medium' });
  const days = new Map<string, { heading: string; entries: { entry: Entry; time: string }[] }>();
  const timed = entries.map((entry) => ({ entry, at: new Date(entry.at) }));
  timed.sort((a, b) => (b.at.getTime() || -Infinity) - (a.at.getTime() || -Infinity) || 0);
  for (const { entry, at } of timed) {
    const isKnown = !Number.isNaN(at.getTime());
    const day = isKnown ? dayFormat.format(at) : entry.at;
    const found = days.get(day) ?? {
      heading: isKnown ? headingFormat.format(at).replace(',', '') : entry.at,
      entries: [],
    };
    found.entries.push({ entry, time: isKnown ? timeFormat.format(at) : '' });
    days.set(day, found);
  }
  return [...days].map(([day, rest]) => ({ day, ...rest }));
}
