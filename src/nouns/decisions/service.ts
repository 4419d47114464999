/** Decisions about entities, by playbooks and by hand (contract §2.18, §4.4). */
import type { DecisionStatus } from './endpoints.ts';
import type { DECISION_KINDS } from '../onboardings/facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { offsetPage, offsetPlace } from '../cursor.ts';
import type { Database } from '../../storage/database.ts';
import { bytes, integer, optional, type RowOf, table, text, textOf } from '../../storage/table.ts';
import { unlessDamaged } from '../../vault/envelope.ts';
import { rowSeal } from '../../vault/grants/index.ts';
import { DAMAGED_MASK } from '../../vault/masked.ts';
import { type EntityRow, forBusinessesToo } from '../entities/service/index.ts';
import { answer } from '../handlers.ts';
import type { Needs } from '../needs.ts';

// All SQL of decisions. `entity` is the row id of the entity; times are epoch milliseconds.

const DECISIONS = table(
  'decisions',
  {
    /** Increases with each decision. */
    seq: integer,
    entity: integer,
    kind: textOf<(typeof DECISION_KINDS)[number]>(),
    status: textOf<DecisionStatus>(),
    playbook_key: optional(text),
    /** Annotation and reviewer of a manual decision. */
    sealed_note: optional(bytes),
    created_at: integer,
  },
  { key: ['seq'], seal: rowSeal('decisions') },
);

/** Reads throw `vault_damaged` when another program has changed the row. */
type DecisionRow = RowOf<typeof DECISIONS>;

/** The decision made last, whatever the clock said. */
const findLatestDecision = DECISIONS.first<[entity: number]>('WHERE entity = ? ORDER BY seq DESC LIMIT 1');

const OF_ENTITY = 'WHERE entity = ? ORDER BY created_at DESC, seq DESC';

/** Newest first; at the same time, the one made last first. */
const listAllDecisions = DECISIONS.all<[entity: number]>(OF_ENTITY);

/** The same, up to one more than `size`. */
const listDecisions = DECISIONS.offsetPage(OF_ENTITY);

export type Decision = AnswerOf<'GET /users/{fp_id}/decisions'>['data'][number];

/** `entity`: its row id; `at`: epoch milliseconds. */
type NewDecision = Omit<Decision, 'timestamp'> & { readonly entity: number; readonly at: number };

export type Decisions = ReturnType<typeof createDecisions>;

type Note = Pick<Decision, 'annotation' | 'reviewer_email'>;
const NO_NOTE: Note = { annotation: null, reviewer_email: null };
const DAMAGED_NOTE: Note = { annotation: DAMAGED_MASK, reviewer_email: null };

export function createDecisions({ database: current, privateValues }: Needs<'database' | 'privateValues'>) {
  function view(row: DecisionRow, note = noteOf(row)): Decision {
    const { kind, status, playbook_key } = row;
    return { kind, status, timestamp: timestamp(row.created_at), playbook_key, ...note };
  }

  function noteOf({ seq, sealed_note }: DecisionRow): Note {
    if (sealed_note === null) return NO_NOTE;
    return JSON.parse(privateValues.open('reviewer note', String(seq), sealed_note)) as Note;
  }

  return {
    /** Call it in a write job. */
    record(database: Database, { annotation, reviewer_email, at, ...decision }: NewDecision): void {
      const seq = DECISIONS.next(database, 'seq');
      const note = JSON.stringify({ annotation, reviewer_email } satisfies Note);
      const isBlank = annotation === null && reviewer_email === null;
      const sealed_note = isBlank ? null : privateValues.seal('reviewer note', String(seq), note);
      DECISIONS.insert(database, { ...decision, seq, sealed_note, created_at: at });
    },

    /** All of them, newest first; a note that doesn't open is marked and hides nothing else. */
    all: (database: Database, entity: EntityRow): Decision[] =>
      listAllDecisions(database, entity.id).map((row) =>
        view(row, unlessDamaged(() => noteOf(row)) ?? DAMAGED_NOTE),
      ),

    handlers: forBusinessesToo({
      'GET /users/{fp_id}/decisions': ({ entity, query }) => {
        const place = offsetPlace(query);
        const rows = listDecisions(current, entity.id, place);
        return answer(offsetPage(rows, { ...place, view: (row) => view(row) }));
      },
    }),

    /** The decision made last. */
    latest(database: Database, entity: EntityRow): Decision | undefined {
      const row = findLatestDecision(database, entity.id);
      return row && view(row);
    },
  };
}
