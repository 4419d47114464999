/** Anchors of the docs page. External links use them, so they must not change. */

/** The sections that are not resources, in page order. */
export const SECTIONS = {
  start: 'Start here',
  identifiers: 'Data identifiers',
  transforms: 'Transforms',
  events: 'Events',
  signatures: 'Signatures',
  schemas: 'Schemas',
  'reason-codes': 'Reason codes',
  errors: 'Errors',
  assumptions: 'Assumptions',
} as const;
export type SectionAnchor = keyof typeof SECTIONS;

type Entry = 'identifier' | 'transform' | 'event' | 'reason' | 'error' | 'resource' | 'schema' | 'assumption';

/** The anchor of an entry in a section; `card.<alias>.number` loses its brackets. */
export function anchorOf(entry: Entry, name: string): string {
  return `${entry}-${name.replace(/[<>]/g, '').replace(/[^A-Za-z0-9._-]+/g, '-')}`;
}
