/** The screen that an id leads to. */
import { hasIdForm, ID_PREFIX, isBusinessId } from '../../../kernel/ids/ids.ts';
import type { ScreenPlace, Subject } from '../../../tui/state/model.ts';

export function subjectOf(fpId: string): Subject {
  return { kind: isBusinessId(fpId) ? 'business' : 'user', fp_id: fpId };
}

export function placeOf(fpId: string): ScreenPlace {
  return { screen: 'entity', params: { fp_id: fpId, kind: isBusinessId(fpId) ? 'business' : 'user' } };
}

/** The screen for a typed or pasted id; undefined if the text is not an id or has no screen. */
export function placeOfId(text: string): ScreenPlace | undefined {
  if (!hasIdForm(text)) return undefined;
  const is = (kind: keyof typeof ID_PREFIX) => text.startsWith(ID_PREFIX[kind]);
  if (is('user') || is('business')) return placeOf(text);
  if (is('event')) return { screen: 'event', params: { event_id: text } };
  if (is('request')) return { screen: 'request', params: { request_id: text } };
  return undefined;
}

/** A masked name such as `Q*** O***`, or as much of the end of an id. */
export const WHO_WIDTH = 9;

/** The name of a user or business, or the end of its id: ids begin alike. */
export function whoText(fpId: string, name: string | undefined): string {
  return name ?? (fpId.length > WHO_WIDTH ? `…${fpId.slice(1 - WHO_WIDTH)}` : fpId);
}
