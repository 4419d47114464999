/** What a caller's words were compared with: the results stay to be read, and never say a value. Pure. */
import { noticeLines } from './geometry.ts';
import type { Notice, State, Tone, VerifiedField } from './model.ts';
import { currentView, screenSubject } from './reading.ts';

/** Results of an earlier caller don't stand among the new ones. */
export function withVerified(state: State, fp_id: string, fields: readonly VerifiedField[]): State {
  return { ...state, notice: undefined, verified: { fp_id, fields } };
}

/**
 * The results that are drawn: those of the entity that the screen is about. Each has a line; if there
 * is no room for that, fields with the same result share one, the worst first.
 */
export function shownVerified(state: State): readonly Notice[] {
  const { verified, overlay, size } = state;
  const isCovered = overlay !== undefined && overlay.kind !== 'filter';
  if (verified === undefined || isCovered || entityHere(state) !== verified.fp_id) return [];
  const { fields } = verified;
  const room = noticeLines(size);
  if (fields.length <= room) return fields.map((field) => lineOf([field.identifier], field));
  const groups = [...new Set(fields.map(({ text }) => text))]
    .map((text) => fields.filter((field) => field.text === text))
    .flatMap((same) =>
      same.slice(0, 1).map((first) =>
        lineOf(
          same.map(({ identifier }) => identifier),
          first,
        ),
      ),
    )
    .toSorted((one, other) => WORST_FIRST.indexOf(one.tone) - WORST_FIRST.indexOf(other.tone));
  const rest = groups.slice(room - 1);
  return [
    ...groups.slice(0, room - 1),
    ...rest.slice(0, 1).map(({ tone }) => ({ tone, text: rest.map(({ text }) => text).join(' · ') })),
  ];
}

const WORST_FIRST: readonly Tone[] = ['bad', 'warn', 'good'];

/** Nothing of one caller is left when another entity is opened. */
export function withKeptVerified(state: State): State {
  const here = entityHere(state);
  const isKept = state.verified === undefined || here === undefined || here === state.verified.fp_id;
  return isKept ? state : { ...state, verified: undefined };
}

function lineOf(identifiers: readonly string[], { tone, text }: Notice): Notice {
  return { tone, text: `Caller's ${identifiers.join(', ')}: ${text}` };
}

export function verifiedText({ identifier, ...result }: VerifiedField): string {
  return lineOf([identifier], result).text;
}

/** A comparison is about two, so nothing of one of them stands there. */
function entityHere(state: State): string | undefined {
  const subject = screenSubject(currentView(state));
  return subject !== undefined && 'fp_id' in subject ? subject.fp_id : undefined;
}
