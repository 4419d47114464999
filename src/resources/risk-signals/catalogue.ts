/** The catalogue of risk signals (contract §4.5): text, severity and scopes of every reason code. */
import type { AnswerOf } from '../../contract/registry.ts';
import codes from '../../fixtures/reason-codes.json' with { type: 'json' };

export type CatalogueEntry = AnswerOf<'GET /org/risk_signals'>[number];

/** In the order of the catalogue. */
export const CATALOGUE = codes as readonly CatalogueEntry[];

const places = new Map(CATALOGUE.map((entry, place) => [entry.reason_code, { entry, place }]));

export function isReasonCode(code: string): boolean {
  return places.has(code);
}

/** The entry of a code with its position in the catalogue; throws for an unknown code. */
export function catalogued(code: string): { readonly entry: CatalogueEntry; readonly place: number } {
  const found = places.get(code);
  if (!found) throw new Error('a risk signal that the catalogue does not have');
  return found;
}
