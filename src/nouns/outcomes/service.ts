/** Outcome rules, with which a test decides the outcomes of runs (contract §4.3, §11). */
import { ENTITY_KINDS, type EntityKind, type Environment } from '../entities/facts.ts';
import type { Outcome } from './facts.ts';
import type { PlaybookKind } from '../onboardings/facts.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { orderedPage } from '../cursor.ts';
import { defined } from '../../kernel/defined.ts';
import { ServiceError, invalid } from '../../kernel/errors.ts';
import { ID_PREFIX, newId } from '../../kernel/ids/ids.ts';
import { mayBeginWith, textGlob } from '../../kernel/text/text.ts';
import type { Database } from '../../storage/database.ts';
import { statement } from '../../storage/statement.ts';
import {
  assigned,
  boolean,
  bytes,
  integer,
  json,
  optional,
  table,
  text,
  textOf,
  type RowOf,
} from '../../storage/table.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import {
  comparableText,
  describeIdentifier,
  fold,
  maskValue,
  requireKnownIdentifiers,
} from '../../vault/identifiers/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { type Space, spaceOf } from '../api-keys/service/index.ts';
import { answer, doneWriting, type Handlers, type KeysUnder, written } from '../handlers.ts';
import { findPlaybook, KEY_PREFIX } from '../playbooks/service.ts';
import { isReasonCode } from '../risk-signals/service.ts';
import type { Needs } from '../needs.ts';

// All SQL of outcome rules.

/** The conditions for a run; the value for the identifier is sealed separately. */
interface StoredMatch {
  readonly fp_id?: string;
  readonly external_id?: string;
  readonly sandbox_id?: string;
  readonly playbook_key?: string;
  readonly kind?: PlaybookKind;
  readonly identifier?: { readonly name: string };
}

/** Codes that a rule adds to a run's signals, and removes from them. */
export interface SignalChanges {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

const RULES = table(
  'outcome_rules',
  {
    /** Orders rules by age, oldest first. */
    seq: assigned,
    id: text,
    /** Row id. */
    space: integer,
    /** 0 is tried first. */
    priority: integer,
    enabled: boolean,
    match: json<StoredMatch>(),
    /** The text that `match.identifier` is compared with; null without. */
    sealed_equals: optional(bytes),
    outcome: textOf<Outcome>(),
    delay_ms: optional(integer),
    signals: optional(json<SignalChanges>()),
    times: optional(integer),
    /** The remaining count; at 0 the rule is used up. */
    remaining: optional(integer),
  },
  { key: ['id'], fixed: ['space'] },
);

type RuleRow = RowOf<typeof RULES>;

const findRule = RULES.first<[id: string]>('WHERE id = ?');

/** Whether a rule of any tenant has this id. */
const isRuleId = RULES.has<[id: string]>('id = ?');

/** Rules that can still apply, in the order in which they are tried. */
const listActiveRules = RULES.all<[space: number]>(
  'WHERE space = ? AND enabled = 1 AND remaining IS NOT 0 ORDER BY priority, seq',
);

/** In the order in which they are tried. */
const rulesOf = RULES.page<{ space: number }, 'priority' | 'seq'>(
  'space = @space',
  { priority: 'number', seq: 'number' },
  'ASC',
);

const insertRule = RULES.insert;
const updateRule = RULES.update;

const countDown = statement<[id: string]>(
  'UPDATE outcome_rules SET remaining = remaining - 1 WHERE id = ?',
).run;

const deleteRule = RULES.delete<[id: string]>('id = ?');

/** In all tenants; returns how many there were. */
const deleteAllRules = RULES.delete();

// Whether a rule applies to a run (contract §4.3).

/** The properties of a run that rules match. */
export interface RunFacts {
  readonly fp_id: string;
  readonly external_id: string | null;
  readonly sandbox_id: string | null;
  readonly playbook_key: string;
  readonly kind: PlaybookKind;
  /** The stored text of an identifier; undefined when absent, or no text. */
  readonly valueOf: (identifier: string) => string | undefined;
}

/** The members that accept `*`. */
const GLOBS = ['fp_id', 'external_id', 'sandbox_id', 'playbook_key'] as const;

/** Whether all given members match. A property that the run lacks matches nothing, not even `*`. */
function isAbout(match: StoredMatch, equals: () => string, run: RunFacts): boolean {
  if (match.kind !== undefined && match.kind !== run.kind) return false;
  for (const name of GLOBS) {
    const glob = match[name];
    if (glob === undefined) continue;
    const actual = run[name];
    if (actual === null || !textGlob(glob)(actual)) return false;
  }
  return match.identifier === undefined || hasValue(match.identifier.name, equals, run);
}

function hasValue(identifier: string, equals: () => string, run: RunFacts): boolean {
  const actual = run.valueOf(identifier);
  return actual !== undefined && fold(actual) === comparableText(identifier, equals());
}

// Refuses rules that have no effect or can never apply, when they are created (contract §4.3): a test that waits for
// such a rule would not learn the reason. Each refusal is `invalid_request` and names the member.

/** Outcomes that store no signals (contract §4.5). */
const WITHOUT_SIGNALS: readonly Outcome[] = ['none', 'error'];

interface Circumstances {
  readonly environment: Environment;
  /** The kind of the playbook of this key; undefined when there is none. */
  readonly kindOf: (key: string) => PlaybookKind | undefined;
}

function requirePossibleMatch(match: StoredMatch, { environment, kindOf }: Circumstances): void {
  if (Object.keys(match).length === 0) throw refused('match', 'give at least one of its members');
  const { sandbox_id, playbook_key, kind } = match;
  if (sandbox_id !== undefined && environment === 'live') {
    throw refused('match.sandbox_id', 'live entities have none');
  }
  if (playbook_key !== undefined) {
    const prefix = KEY_PREFIX[environment];
    if (!mayBeginWith(playbook_key, prefix)) {
      throw refused('match.playbook_key', `the keys of this environment begin with ${prefix}`);
    }
    const itsKind = kindOf(playbook_key);
    if (kind !== undefined && itsKind !== undefined && kind !== itsKind) {
      throw refused('match.kind', `the playbook of match.playbook_key is of kind ${itsKind}`);
    }
  }
  requireSomebody(match);
}

/** Requires that an entity can match id, kind and identifier together. */
function requireSomebody({ fp_id, kind, identifier }: StoredMatch): void {
  if (identifier) requireKnownIdentifiers([identifier.name]);
  const ofId = ENTITY_KINDS.filter((who) => fp_id === undefined || mayBeginWith(fp_id, ID_PREFIX[who]));
  if (ofId.length === 0) throw refused('match.fp_id', 'ids begin with fp_id_ or fp_bid_');
  const ofKind = ofId.filter((who) => kind === undefined || who === entityOf(kind));
  if (ofKind.length === 0) throw refused('match.kind', `no ${ofId.join()} is run on a playbook of this kind`);
  const description = identifier && describeIdentifier(identifier.name);
  if (description && !ofKind.some((who) => description.belongsTo(who))) {
    throw refused('match.identifier.name', `a ${ofKind.join()} has no ${description.name}`);
  }
}

function entityOf(kind: PlaybookKind): EntityKind {
  return kind === 'kyb' ? 'business' : 'user';
}

/** The identifier must be known. */
function requirePossibleValue(identifier: string, equals: string): void {
  if (comparableText(identifier, equals) === undefined) {
    throw refused('match.identifier.equals', `${identifier} never has such a text`);
  }
}

/** The codes without duplicates; null for none. */
function readSignals({
  add = [],
  remove = [],
}: {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}): SignalChanges | null {
  for (const [name, codes] of Object.entries({ add, remove })) {
    const place = codes.findIndex((code) => !isReasonCode(code));
    if (place !== -1) throw refused(`signals.${name}[${place}]`, 'no reason code of the catalogue');
  }
  const both = add.find((code) => remove.includes(code));
  if (both !== undefined) throw refused('signals', `${both} cannot be both added and removed`);
  if (add.length + remove.length === 0) return null;
  return { add: [...new Set(add)], remove: [...new Set(remove)] };
}

function requireSignalsFit(signals: SignalChanges | null, outcome: Outcome): void {
  if (signals && WITHOUT_SIGNALS.includes(outcome)) {
    throw refused('signals', `the outcome ${outcome} stores no signals`);
  }
}

function refused(member: string, why: string): ServiceError {
  return invalid(`${member}: ${why}`);
}

type RuleView = AnswerOf<'GET /_kyclone/outcomes/{id}'>;
type NewRule = RequestOf<'POST /_kyclone/outcomes'>['body'];
type RuleChange = RequestOf<'PATCH /_kyclone/outcomes/{id}'>['body'];

export interface ChosenOutcome {
  readonly outcome: Outcome;
  /** Milliseconds; undefined: the playbook's delay. */
  readonly delayMs: number | undefined;
  readonly signals: SignalChanges | null;
}

export type Outcomes = ReturnType<typeof createOutcomes>;

type OutcomesContext = Needs<'queue' | 'random' | 'privateValues'>;

const PRIORITY = 100;

export function createOutcomes({ queue, random, privateValues }: OutcomesContext) {
  return {
    /**
     * Call it in the write job of a run: returns the first enabled rule that matches and isn't used up, and decrements
     * its count.
     */
    choose(database: Database, space: Space, run: RunFacts): ChosenOutcome | undefined {
      const rule = listActiveRules(database, space.space).find((each) =>
        isAbout(each.match, () => equalsOf(each), run),
      );
      if (!rule) return undefined;
      if (rule.remaining !== null) countDown(database, rule.id);
      const { outcome, delay_ms, signals } = rule;
      return { outcome, delayMs: delay_ms ?? undefined, signals };
    },

    handlers: {
      'GET /_kyclone/outcomes': ({ query }) => {
        const { space } = spaceOf(queue.database, query);
        return answer(orderedPage(query, { ...rulesOf(queue.database, { space }), view }));
      },

      // `invalid_request` for a rule that could never apply, or with contradictory signals.
      'POST /_kyclone/outcomes': ({ query, body }) =>
        written(queue, (database) => {
          const space = spaceOf(database, query);
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

      'GET /_kyclone/outcomes/{id}': ({ params, query }) => {
        const { space } = spaceOf(queue.database, query);
        return answer(view(getRule(queue.database, space, params.id)));
      },

      // `match` is replaced as a whole; null removes delay_ms or times; a new value of times restarts its count.
      'PATCH /_kyclone/outcomes/{id}': ({ params, query, body }) =>
        written(queue, (database) => {
          const space = spaceOf(database, query);
          const rule = changed(database, space, getRule(database, space.space, params.id), body);
          updateRule(database, rule);
          return view(rule);
        }),

      'DELETE /_kyclone/outcomes/{id}': ({ params, query }) =>
        doneWriting(queue, (database) => {
          const { space } = spaceOf(database, query);
          deleteRule(database, getRule(database, space, params.id).id);
        }),
    } satisfies Handlers<KeysUnder<'/_kyclone/outcomes'>>,

    /** Call it in the write job of a reset; returns how many there were. */
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
      ...defined({ times, remaining: times }),
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
  const rule = findRule(database, id);
  if (rule?.space === space) return rule;
  throw new ServiceError('not_found', 'No outcome rule has this id in this tenant and environment');
}
