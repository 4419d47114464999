/** What a caller's words were compared with: the results stay to be read, and never say a value. Pure. */
import { noticeLines } from './geometry.ts';
import type { State, VerifiedField } from './model.ts';
import { currentView, screenSubject } from './reading.ts';

/** A field that is verified again has its newest result only. */
export function withVerified(state: State, fp_id: string, field: VerifiedField): State {
  const before = state.verified?.fp_id === fp_id ? state.verified.fields : [];
  const others = before.filter(({ identifier }) => identifier !== field.identifier);
  return { ...state, notice: undefined, verified: { fp_id, fields: [field, ...others] } };
}

/** The results that are drawn: those of the entity that the screen is about, as many as there is room for. */
export function shownVerified(state: State): readonly VerifiedField[] {
  const { verified, overlay, size } = state;
  const isCovered = overlay !== undefined && overlay.kind !== 'filter';
  if (verified === undefined || isCovered || entityHere(state) !== verified.fp_id) return [];
  return verified.fields.slice(0, noticeLines(size));
}

/** Nothing of one caller is left when another entity is opened. */
export function withKeptVerified(state: State): State {
  const here = entityHere(state);
  const isKept = state.verified === undefined || here === undefined || here === state.verified.fp_id;
  return isKept ? state : { ...state, verified: undefined };
}

export function verifiedText({ identifier, text }: VerifiedField): string {
  return `Caller's ${identifier}: ${text}`;
}

/** A comparison is about two, so nothing of one of them stands there. */
function entityHere(state: State): string | undefined {
  const subject = screenSubject(currentView(state));
  return subject !== undefined && 'fp_id' in subject ? subject.fp_id : undefined;
}
