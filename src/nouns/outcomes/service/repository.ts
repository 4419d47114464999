/** All SQL of outcome rules. */
import type { Outcome } from '../facts.ts';
import type { PlaybookKind } from '../../onboardings/facts.ts';
import { statement } from '../../../storage/statement.ts';
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
} from '../../../storage/table.ts';

/** The conditions for a run; the value for the identifier is sealed separately. */
export interface StoredMatch {
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

export type RuleRow = RowOf<typeof RULES>;

export const findRule = RULES.first<[id: string]>('WHERE id = ?');

/** Whether a rule of any tenant has this id. */
export const isRuleId = RULES.has<[id: string]>('id = ?');

/** Rules that can still apply, in the order in which they are tried. */
export const listActiveRules = RULES.all<[space: number]>(
  'WHERE space = ? AND enabled = 1 AND remaining IS NOT 0 ORDER BY priority, seq',
);

/** In the order in which they are tried. */
export const listRules = RULES.page<{ space: number }, 'priority' | 'seq'>(
  'space = @space',
  ['priority', 'seq'],
  'ASC',
);
export const countRules = RULES.count<[space: number]>('space = ?');

export const insertRule = RULES.insert;
export const updateRule = RULES.update;

export const countDown = statement<[id: string]>(
  'UPDATE outcome_rules SET remaining = remaining - 1 WHERE id = ?',
).run;

export const deleteRule = RULES.delete<[id: string]>('id = ?');

/** In all tenants; returns how many there were. */
export const deleteAllRules = RULES.delete();
