import { facts, table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

/** What was written, and what to do with it. */
export function initView(made: { files: readonly string[]; instance: string }, style: Style): string {
  const next = [
    ['kyclone exec -- npm test', 'tests beside an instance that is gone afterwards'],
    ['kyclone start -d', 'an instance that stays, with the people of the fixture'],
    ['kyclone users list', 'who they are'],
  ] as const;
  return `${facts({ wrote: made.files, instance: made.instance }, style)}\n\n${table(['NEXT', 'WHAT FOR'], next, style, '')}`;
}
