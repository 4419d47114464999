/** How a snapshot is described to people (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { countText } from '../../kernel/count-text.ts';
import { MIB } from '../../kernel/units.ts';

type Snapshot = AnswerOf<'GET /_kyclone/snapshots'>['data'][number];

export function sizeText({ bytes }: Pick<Snapshot, 'bytes'>): string {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;
}

/** What it holds, such as `2 users`; nothing for an empty one. */
export function heldTexts({ counts }: Pick<Snapshot, 'counts'>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [countText(what, count)] : []));
}
