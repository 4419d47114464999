/** A drawn timeline: a line through each day, newest first, with a mark for each entry. */
import type { ReactElement, ReactNode } from 'react';
import { groupedByDay } from './timeline-days.ts';
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
