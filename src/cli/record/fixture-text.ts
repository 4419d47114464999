/** A fixture as the text of a file. */
import { stringify } from 'yaml';
import type { WrittenFixture } from './to-fixture.ts';

export function fixtureText(fixture: WrittenFixture, format: 'yaml' | 'json'): string {
  if (format === 'json') return `${JSON.stringify(fixture, null, 2)}\n`;
  return stringify(fixture, { aliasDuplicateObjects: false, lineWidth: 0 });
}
