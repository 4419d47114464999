/** The risk signals of runs (contract §2.19, §4.5). */
import { MATCH_LEVELS } from '../onboardings/facts.ts';
import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import { SEVERITIES, type Severity } from './endpoints.ts';
import codes from '../../fixtures/reason-codes.json' with { type: 'json' };
import { timestamp } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../../storage/database.ts';
import { insertion, scalarStatement, statement } from '../../storage/statement.ts';
import type { EntityRow } from '../entities/service/index.ts';
import { answer, DEPRECATED, type Handlers } from '../handlers.ts';

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
export function catalogued(code: string): { readonly entry: CatalogueEntry; readonly place: number } {
  const found = places.get(code);
  if (!found) throw new Error('a risk signal that the catalogue does not have');
  return found;
}

// All SQL of risk signals. `entity` is the row id of the entity; times are epoch milliseconds.

interface SignalRow {
  readonly onboarding: string;
  readonly entity: number;
  readonly reason_code: string;
  readonly created_at: number;
}

const INSERT = insertion<[onboarding: string, entity: number, reason_code: string, created_at: number]>(
  'INSERT INTO risk_signals (onboarding, entity, reason_code, created_at)',
  4,
);

function insertSignals(database: Database, rows: readonly SignalRow[]): void {
  INSERT.run(
    database,
    rows.map((row) => [row.onboarding, row.entity, row.reason_code, row.created_at]),
  );
}

/** In no particular order. */
const listSignals = statement<[onboarding: string], SignalRow>(
  'SELECT * FROM risk_signals WHERE onboarding = ?',
).all;

/** The id of the entity's newest finished onboarding. */
const findLatestFinished = scalarStatement<[entity: number], string>(
  'SELECT id FROM onboardings WHERE entity = ? AND completed_at IS NOT NULL ORDER BY seq DESC LIMIT 1',
).get;

function isOnboardingOf(database: Database, onboarding: { id: string; entity: number }): boolean {
  const sql = 'SELECT 1 FROM onboardings WHERE id = ? AND entity = ?';
  return (
    scalarStatement<[string, number], 1>(sql).get(database, onboarding.id, onboarding.entity) !== undefined
  );
}

export type RiskSignal = AnswerOf<'GET /users/{fp_id}/risk_signals'>[number];

export interface RiskSignals {
  /**
   * Call it in the write job in which a run becomes terminal; codes must be in the catalogue, `at` is in epoch
   * milliseconds.
   */
  record(
    database: Database,
    run: {
      readonly onboarding: string;
      readonly entity: number;
      readonly at: number;
      readonly codes: Iterable<string>;
    },
  ): void;
  /**
   * By severity, high first, then in the order of the catalogue. Signals of a user only have user scopes, even if the
   * catalogue's entry has business scopes as well.
   */
  ofOnboarding(database: Database, onboarding: string, kind: EntityRow['kind']): RiskSignal[];
  /** The signals of the latest terminal onboarding of the entity; empty without one. */
  latest(database: Database, entity: EntityRow): RiskSignal[];
  /** The id of that onboarding; undefined without one. */
  latestRun(database: Database, entity: EntityRow): string | undefined;
  /** Throws `not_found` for an onboarding of another entity. */
  ofEntity(database: Database, entity: EntityRow, onboarding: string): RiskSignal[];
  /** Counts the signals that `latest` returns; severities without any are absent. */
  countBySeverity(database: Database, entity: EntityRow): Partial<Record<Severity, number>>;
}

export function createRiskSignals(): RiskSignals {
  const signals: RiskSignals = {
    record(database, { onboarding, entity, at, codes }) {
      const rows = [...new Set(codes)].map((code) => {
        const { reason_code } = catalogued(code).entry;
        return { onboarding, entity, reason_code, created_at: at };
      });
      insertSignals(database, rows);
    },

    ofOnboarding: (database, onboarding, kind) =>
      listSignals(database, onboarding)
        .map((row) => ({ ...catalogued(row.reason_code), at: row.created_at }))
        .sort((one, other) => rank(other.entry) - rank(one.entry) || one.place - other.place)
        .map(({ entry, at }) => ({
          ...entry,
          scopes: scopesFor(kind, entry.scopes),
          timestamp: timestamp(at),
        })),

    latestRun: (database, entity) => findLatestFinished(database, entity.id),

    latest(database, entity) {
      const onboarding = signals.latestRun(database, entity);
      return onboarding === undefined ? [] : signals.ofOnboarding(database, onboarding, entity.kind);
    },

    ofEntity(database, entity, onboarding) {
      if (!isOnboardingOf(database, { id: onboarding, entity: entity.id })) {
        throw new ServiceError('not_found', `This ${entity.kind} has no onboarding of this id`);
      }
      return signals.ofOnboarding(database, onboarding, entity.kind);
    },

    countBySeverity(database, entity) {
      const counts: Partial<Record<Severity, number>> = {};
      for (const { severity } of signals.latest(database, entity)) {
        counts[severity] = (counts[severity] ?? 0) + 1;
      }
      return counts;
    },
  };
  return signals;
}

function scopesFor(kind: EntityRow['kind'], scopes: readonly string[]): string[] {
  return scopes.filter((scope) => kind === 'business' || !scope.startsWith('business_'));
}

/** Higher is worse. */
function rank({ severity }: { readonly severity: Severity }): number {
  return SEVERITIES.indexOf(severity);
}

type SignalKeys = Extract<EndpointKey, `${string}/${'risk_signals' | 'match_signals'}`>;
type OfRun = { readonly entity: EntityRow; readonly params: { readonly onboarding_id: string } };

/** For users and businesses. */
export function riskSignalHandlers(context: {
  database: Database;
  signals: RiskSignals;
}): Handlers<SignalKeys> {
  const { database, signals } = context;
  const latest = ({ entity }: { readonly entity: EntityRow }) =>
    answer(signals.latest(database, entity), DEPRECATED);
  const ofRun = ({ entity, params }: OfRun) =>
    answer(signals.ofEntity(database, entity, params.onboarding_id));
  return {
    'GET /users/{fp_id}/risk_signals': latest,
    'GET /users/{fp_id}/match_signals': ({ entity }) =>
      answer(matchSignals(signals.latest(database, entity)), DEPRECATED),
    'GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals': ofRun,
    'GET /businesses/{fp_bid}/risk_signals': latest,
    'GET /businesses/{fp_bid}/onboardings/{onboarding_id}/risk_signals': ofRun,
    'GET /org/risk_signals': () => answer([...CATALOGUE]),
  };
}
