/** Outcome rules, with which a test decides the outcomes of runs (contract §4.3, §11). */
import type { Outcome } from '../../contract/facts/onboardings.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { unlessDamaged } from '../../vault/changes.ts';
import { maskValue } from '../../vault/identifiers/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import { spaceOf, type Space } from '../api-keys/index.ts';
import { findPlaybook } from '../playbooks/index.ts';
import {
  readSignals,
  requirePossibleMatch,
  requirePossibleValue,
  requireSignalsFit,
} from './contradictions.ts';
import { isAbout, type RunFacts } from './matching.ts';
import {
  countDown,
  countRules,
  deleteAllRules,
  deleteRule,
  findRule,
  insertRule,
  isRuleId,
  listActiveRules,
  listRules,
  updateRule,
  type RuleRow,
  type SignalChanges,
} from './repository.ts';

type RuleView = AnswerOf<'GET /_kyclone/outcomes/{id}'>;
type SpaceChoice = RequestOf<'POST /_kyclone/outcomes'>['query'];
type NewRule = RequestOf<'POST /_kyclone/outcomes'>['body'];
type RuleChange = RequestOf<'PATCH /_kyclone/outcomes/{id}'>['body'];

export interface ChosenOutcome {
  readonly outcome: Outcome;
  /** Milliseconds; undefined: the playbook's delay. */
  readonly delayMs: number | undefined;
  readonly signals: SignalChanges;
}

export interface Outcomes {
  /**
   * Call it in the write job of a run: returns the first enabled rule that matches and isn't used up, and decrements
   * its count.
   */
  choose(database: Database, space: Space, run: RunFacts): ChosenOutcome | undefined;
  /** In the order in which they are tried. */
  list(query: RequestOf<'GET /_kyclone/outcomes'>['query']): AnswerOf<'GET /_kyclone/outcomes'>;
  /** Throws `invalid_request` for a rule that could never apply, or with contradictory signals. */
  create(space: SpaceChoice, body: NewRule): Promise<RuleView>;
  get(id: string, space: SpaceChoice): RuleView;
  /** `match` is replaced as a whole; null removes delay_ms or times; a new value of times restarts its count. */
  change(id: string, space: SpaceChoice, body: RuleChange): Promise<RuleView>;
  remove(id: string, space: SpaceChoice): Promise<void>;
  /** Call it in the write job of a reset; returns how many there were. */
  reset(database: Database): number;
}

export interface OutcomesContext {
  readonly queue: WriteQueue;
  readonly random: Randomness;
  readonly privateValues: PrivateValues;
}

const PRIORITY = 100;
const NO_CHANGES: SignalChanges = { add: [], remove: [] };

export function createOutcomes({ queue, random, privateValues }: OutcomesContext): Outcomes {
  return {
    choose(database, space, run) {
      const rule = listActiveRules(database, space.space).find((each) =>
        isAbout(each.match, () => equalsOf(each), run),
      );
      if (!rule) return undefined;
      if (rule.remaining !== null) countDown(database, rule.id);
      return {
        outcome: rule.outcome,
        delayMs: rule.delay_ms ?? undefined,
        signals: rule.signals ?? NO_CHANGES,
      };
    },

    list(query) {
      const { space } = spaceOf(queue.database, query);
      const place = query.cursor === undefined ? undefined : decodeCursor(query.cursor, ['number', 'number']);
      const after = place && { priority: place[0], seq: place[1] };
      const size = pageSize(query.page_size);
      return cursorPage(listRules(queue.database, { space }, { after, limit: size }), {
        size,
        count: countRules(queue.database, space),
        cursorOf: (row) => encodeCursor(row.priority, row.seq),
        view,
      });
    },

    create: (choice, body) =>
      queue.write((database) => {
        const space = spaceOf(database, choice);
        const id = newId('outcomeRule', random, (taken) => isRuleId(database, taken));
        const blank = {
          id,
          space: space.space,
          priority: PRIORITY,
          enabled: true,
          match: {},
          sealed_equals: null,
          outcome: body.outcome,
          delay_ms: null,
          signals: null,
          times: null,
          remaining: null,
        };
        const rule = changed(database, space, blank, body);
        insertRule(database, rule);
        return view(rule);
      }),

    get(id, choice) {
      const { space } = spaceOf(queue.database, choice);
      return view(getRule(queue.database, space, id));
    },

    change: (id, choice, body) =>
      queue.write((database) => {
        const space = spaceOf(database, choice);
        const rule = changed(database, space, getRule(database, space.space, id), body);
        updateRule(database, rule);
        return view(rule);
      }),

    remove: (id, choice) =>
      queue.write((database) => {
        const { space } = spaceOf(database, choice);
        if (deleteRule(database, space, id) === 0) throw notFound();
      }),

    reset: deleteAllRules,
  };

  function changed(
    database: Database,
    space: Space,
    before: Omit<RuleRow, 'seq'>,
    { match, signals, times, ...body }: RuleChange,
  ): Omit<RuleRow, 'seq'> {
    const rule = {
      ...before,
      ...body,
      ...(match && matchParts(database, space, before.id, match)),
      ...(signals && { signals: readSignals(signals) }),
      ...(times !== undefined && { times, remaining: times }),
    };
    requireSignalsFit(rule.signals, rule.outcome);
    return rule;
  }

  function matchParts(
    database: Database,
    space: Space,
    id: string,
    { identifier, ...match }: NewRule['match'],
  ): Pick<RuleRow, 'match' | 'sealed_equals'> {
    const kept = { ...match, ...(identifier && { identifier: { name: identifier.name } }) };
    const kindOf = (key: string) => findPlaybook(database, space.space, key)?.kind;
    requirePossibleMatch(kept, { environment: space.environment, kindOf });
    if (!identifier) return { match: kept, sealed_equals: null };
    requirePossibleValue(identifier.name, identifier.equals);
    return { match: kept, sealed_equals: privateValues.seal('rule value', id, identifier.equals) };
  }

  function equalsOf({ id, sealed_equals }: Pick<RuleRow, 'id' | 'sealed_equals'>): string {
    if (sealed_equals === null) throw new Error('a rule about an identifier has no value to compare with');
    return privateValues.open('rule value', id, sealed_equals);
  }

  /** A rule with a damaged value is shown, too, so that it can be found and deleted. */
  function maskedEquals(identifier: string, rule: Omit<RuleRow, 'seq'>): string {
    return unlessDamaged(() => maskValue(identifier, equalsOf(rule))) ?? DAMAGED_MASK;
  }

  function view(rule: Omit<RuleRow, 'seq'>): RuleView {
    const { identifier, ...globs } = rule.match;
    return {
      id: rule.id,
      priority: rule.priority,
      enabled: rule.enabled,
      match: {
        ...globs,
        ...(identifier && {
          identifier: { name: identifier.name, equals: maskedEquals(identifier.name, rule) },
        }),
      },
      outcome: rule.outcome,
      ...(rule.delay_ms !== null && { delay_ms: rule.delay_ms }),
      ...(rule.signals && { signals: { add: [...rule.signals.add], remove: [...rule.signals.remove] } }),
      ...(rule.times !== null && { times: rule.times }),
      remaining: rule.remaining,
    };
  }
}

function getRule(database: Database, space: number, id: string): RuleRow {
  const rule = findRule(database, space, id);
  if (!rule) throw notFound();
  return rule;
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'No outcome rule has this id in this tenant and environment');
}
