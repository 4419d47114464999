/** The names of the files in a report of an instance. */
export const REPORT_FILES = [
  'daemon.log',
  'deliveries.json',
  'events.json',
  'expected.json',
  'failed-requests.json',
  'report.json',
  'requests.json',
] as const;
