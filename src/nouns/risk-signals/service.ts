/** The risk signals of runs (contract §2.19, §4.5). */
import { MATCH_LEVELS } from '../onboardings/facts.ts';
import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import { SEVERITIES, type Severity } from './endpoints.ts';
import codes from '../../fixtures/reason-codes.json' with { type: 'json' };
import { timestamp } from '../../kernel/time/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { insertion, scalarStatement, statement } from '../../storage/statement.ts';
import { type EntityKind, type EntityRow, forBusinessesToo } from '../entities/service/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Needs } from '../needs.ts';

// How well the data of a run were found to match, from its reason codes (contract §2.25). Pure.

type MatchSignal = AnswerOf<'GET /users/{fp_id}/match_signals'>[number];
type MatchLevel = MatchSignal['match_level'];

/** The first that a code contains. */
const LEVELS: readonly (readonly [in_code: RegExp, level: MatchLevel])[] = [
  [/could_not_match/, 'could_not_match'],
  [/(?:does|do)_not_match|mismatch/, 'no_match'],
  [/partial(?:ly)?_match|(?:similar|close|alternate|incomplete)_match/, 'partial_match'],
  [/match(?:es)?$|_matches_/, 'match'],
];

/** In the order of the first code of each scope; a scope has the worst level of its codes. */
function matchSignals(
  signals: readonly { readonly reason_code: string; readonly scopes: readonly string[] }[],
): MatchSignal[] {
  const byScope = new Map<string, MatchSignal>();
  for (const { reason_code, scopes } of signals) {
    const level = LEVELS.find(([inCode]) => inCode.test(reason_code))?.[1];
    if (level === undefined) continue;
    for (const scope of scopes) {
      const known = byScope.get(scope) ?? { scope, match_level: level, reason_codes: [] };
      byScope.set(scope, {
        scope,
        match_level: worse(known.match_level, level),
        reason_codes: [...known.reason_codes, reason_code],
      });
    }
  }
  return [...byScope.values()];
}

function worse(one: MatchLevel, other: MatchLevel): MatchLevel {
  return MATCH_LEVELS.indexOf(one) > MATCH_LEVELS.indexOf(other) ? one : other;
}

// The catalogue of risk signals (contract §4.5): text, severity and scopes of every reason code.

type CatalogueEntry = AnswerOf<'GET /org/risk_signals'>[number];

/** In the order of the catalogue. */
export const CATALOGUE = codes as readonly CatalogueEntry[];

const places = new Map(CATALOGUE.map((entry, place) => [entry.reason_code, { entry, place }]));

export function isReasonCode(code: string): boolean {
  return places.has(code);
}

/** The entry of a code with its position in the catalogue; throws for an unknown code. */
function catalogued(code: string): { readonly entry: CatalogueEntry; readonly place: number } {
  const found = places.get(code);
  if (!found) throw new Error('a risk signal that the catalogue does not have');
  return found;
}

// All SQL of risk signals. `entity` is the row id of the entity; times are epoch milliseconds.

const INSERT = insertion<[onboarding: string, entity: number, reason_code: string, created_at: number]>(
  'INSERT INTO risk_signals (onboarding, entity, reason_code, created_at)',
  4,
);

/** In no particular order. */
const listSignals = statement<[onboarding: string], { reason_code: string; created_at: number }>(
  'SELECT reason_code, created_at FROM risk_signals WHERE onboarding = ?',
).all;

/** The id of the entity's newest finished onboarding. */
const findLatestFinished = scalarStatement<[entity: number], string>(
  'SELECT id FROM onboardings WHERE entity = ? AND completed_at IS NOT NULL ORDER BY seq DESC LIMIT 1',
).get;

const findOnboardingOf = scalarStatement<[id: string, entity: number], 1>(
  'SELECT 1 FROM onboardings WHERE id = ? AND entity = ?',
).get;

export type RiskSignal = AnswerOf<'GET /users/{fp_id}/risk_signals'>[number];

export type RiskSignals = ReturnType<typeof createRiskSignals>;

export function createRiskSignals({ database: current }: Needs<'database'>) {
  /**
   * By severity, high first, then in the order of the catalogue. Signals of a user only have user scopes, even if the
   * catalogue's entry has business scopes as well.
   */
  const ofOnboarding = (database: Database, onboarding: string, kind: EntityKind): RiskSignal[] =>
    listSignals(database, onboarding)
      .map((row) => ({ ...catalogued(row.reason_code), at: row.created_at }))
      .sort((one, other) => rank(other.entry) - rank(one.entry) || one.place - other.place)
      .map(({ entry, at }) => ({
        ...entry,
        scopes: entry.scopes.filter((scope) => kind === 'business' || !scope.startsWith('business_')),
        timestamp: timestamp(at),
      }));

  /** The id of the entity's latest terminal onboarding; undefined without one. */
  const latestRun = (database: Database, { id }: EntityRow) => findLatestFinished(database, id);

  /** The signals of that onboarding; empty without one. */
  function latest(database: Database, entity: EntityRow): RiskSignal[] {
    const onboarding = latestRun(database, entity);
    return onboarding === undefined ? [] : ofOnboarding(database, onboarding, entity.kind);
  }

  /** Throws `not_found` for an onboarding of another entity. */
  function ofEntity(database: Database, { id: entity, kind }: EntityRow, onboarding: string): RiskSignal[] {
    if (findOnboardingOf(database, onboarding, entity) === undefined) {
      throw new ServiceError('not_found', `This ${kind} has no onboarding of this id`);
    }
    return ofOnboarding(database, onboarding, kind);
  }

  return {
    ofOnboarding,
    latestRun,
    latest,
    ofEntity,

    /** Call it in the write job in which a run becomes terminal; codes must be in the catalogue. */
    record(
      database: Database,
      run: { onboarding: string; entity: number; at: number; codes: ReadonlySet<string> },
    ): void {
      const { onboarding, entity, at, codes } = run;
      INSERT.run(
        database,
        [...codes].map((code) => [onboarding, entity, catalogued(code).entry.reason_code, at]),
      );
    },

    /** Counts the signals that `latest` returns; severities without any are absent. */
    countBySeverity(database: Database, entity: EntityRow): Partial<Record<Severity, number>> {
      const counts: Partial<Record<Severity, number>> = {};
      for (const { severity } of latest(database, entity)) counts[severity] = (counts[severity] ?? 0) + 1;
      return counts;
    },

    handlers: {
      ...forBusinessesToo({
        'GET /users/{fp_id}/risk_signals': ({ entity }) => answer(latest(current, entity)),
        'GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals': ({ entity, params }) =>
          answer(ofEntity(current, entity, params.onboarding_id)),
      }),
      'GET /users/{fp_id}/match_signals': ({ entity }) => answer(matchSignals(latest(current, entity))),
      'GET /org/risk_signals': () => answer([...CATALOGUE]),
    } satisfies Handlers<Extract<EndpointKey, `${string}/${'risk_signals' | 'match_signals'}`>>,
  };
}

/** Higher is worse. */
function rank({ severity }: { readonly severity: Severity }): number {
  return SEVERITIES.indexOf(severity);
}
