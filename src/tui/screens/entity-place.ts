/** Whom an id of a user or business leads to. */
import { isBusinessId } from '../../kernel/ids.ts';
import type { ScreenPlace, Subject } from '../state/model.ts';

export function subjectOf(fpId: string): Subject {
  return { kind: isBusinessId(fpId) ? 'business' : 'user', fp_id: fpId };
}

export function placeOf(fpId: string): ScreenPlace {
  return { screen: 'entity', params: { fp_id: fpId, kind: isBusinessId(fpId) ? 'business' : 'user' } };
}
