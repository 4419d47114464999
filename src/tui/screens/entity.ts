/**
 * One user or business, with everything about it, masked (contract §11). The kind may be omitted when it is opened.
 */
import { accessLog, tokens } from './entity/access.ts';
import { targetOf } from './entity/inspection.ts';
import { notes } from './entity/notes.ts';
import { overview } from './entity/overview.ts';
import { bankLinks, duplicates, labels, owners } from './entity/relations.ts';
import { decisions, onboardings } from './entity/review.ts';
import { signals } from './entity/signals.ts';
import { timeline } from './entity/timeline.ts';
import { documents, vault } from './entity/vault.ts';
import type { ScreenDefinition } from './definition.ts';

export const entityScreen: ScreenDefinition = {
  name: 'entity',
  title(params) {
    const { kind, fp_id } = targetOf(params);
    return `${kind === 'user' ? 'User' : 'Business'} ${fp_id}`;
  },
  subject(params) {
    const { kind, fp_id } = targetOf(params);
    return { kind, fp_id };
  },
  panes: [
    overview,
    vault,
    documents,
    onboardings,
    decisions,
    signals,
    duplicates,
    labels,
    owners,
    bankLinks,
    tokens,
    accessLog,
    timeline,
    notes,
  ],
};
