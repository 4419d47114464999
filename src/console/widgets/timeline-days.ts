/** Groups the entries of a timeline by day, newest first. */

export interface DayOf<Entry> {
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
