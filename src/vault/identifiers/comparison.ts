/** Normalises texts for comparison with stored values (contract §4.3). */
import { fold } from './fingerprints.ts';
import { getIdentifier } from './registry.ts';

export { fold };

const ANY_SITUATION = { isLive: false, skipLuhn: true, isInUnitedStates: false };

/**
 * The folded text in the stored form of the identifier: `+1 (415) 555-2671` becomes `+14155552671`. Undefined when the
 * identifier can never have this text. Throws `invalid_request` for an unknown identifier.
 */
export function comparableText(identifier: string, text: string): string | undefined {
  const { derived, rule } = getIdentifier(identifier);
  if (derived) return fold(text);
  const cleaned = rule.clean(text, ANY_SITUATION);
  return typeof cleaned === 'string' ? fold(cleaned) : undefined;
}
