/** The files that the built-in scenarios upload, by name: two small images and a text. */
import type { FixtureFiles } from '../../../client/fixtures/index.ts';

export const UPLOADS: FixtureFiles = new Map([
  [
    'front.png',
    png(
      'iVBORw0KGgoAAAANSUhEUgAAABAAAAAKCAIAAAAy3EnLAAAAFElEQVR42mPQiFpAEmIY1TA0NQAAN021Qdd8COoAAAAASUVORK5CYII=',
    ),
  ],
  [
    'other.png',
    png(
      'iVBORw0KGgoAAAANSUhEUgAAABAAAAAKCAIAAAAy3EnLAAAAFElEQVR42mM4UaFBEmIY1TA0NQAAx4PhAQ+m6W4AAAAASUVORK5CYII=',
    ),
  ],
  ['bill.txt', Buffer.from('A bill that is made up for a comparison\n')],
]);

function png(base64: string): Uint8Array {
  return Buffer.from(base64, 'base64');
}
