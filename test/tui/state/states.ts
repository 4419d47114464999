/** States for the start of tests, with users that no daemon loaded. */
import type { Effect, Message, Page, Row, Setup, State, Step } from '../../../src/tui/state/model.ts';
import { rowsOf } from '../../../src/tui/state/panes.ts';
import { currentPane, currentView } from '../../../src/tui/state/reading.ts';
import { initialState, update } from '../../../src/tui/state/update.ts';
import { screens } from '../../../src/tui/screens/registry.ts';

export const SIZE = { columns: 80, rows: 24 };
export const SETUP: Setup = {
  instance: 'default',
  environment: 'sandbox',
  isReadonly: false,
  operator: 'Ada',
  start: { screen: 'users', params: {} },
};

const CREATED = '2026-03-01 12:00:00';

export function aRow(serial: number, changes: Partial<Row> = {}): Row {
  const id = `fp_id_${String(serial).padStart(5, '0')}`;
  return {
    key: id,
    cells: [id, `Name ${serial}`, 'pass', '-', '-', `ext-${serial}`, CREATED, CREATED],
    id,
    command: ['users', 'get', id],
    call: { method: 'GET', path: `/users/${id}` },
    opens: { screen: 'businesses', params: {} },
    subject: { kind: 'user', fp_id: id },
    ...changes,
  };
}

export function rows(count: number, from = 0): Row[] {
  return Array.from({ length: count }, (_, index) => aRow(from + index));
}

/** A question that is open over the screen. */
export function aQuestion(lines: readonly string[]): Extract<State['overlay'], { kind: 'confirm' }> {
  const subject = { kind: 'user', fp_id: 'a' } as const;
  return { kind: 'confirm', action: 'decide', subject, values: {}, top: 0, form: undefined, lines };
}

/** Returns the page of a list that starts at a cursor. */
export function pageOf(all: readonly Row[], cursor: string | undefined, size = 100): Page {
  const from = Number(cursor ?? 0);
  const next = from + size;
  return { rows: all.slice(from, next), next: next < all.length ? String(next) : null, total: all.length };
}

/** Holds a state and the effects that it requests. The test decides when the loads get their results. */
export class Inspector {
  state: State;
  pending: Effect[] = [];
  /** All effects that were ever requested. */
  readonly asked: Effect[] = [];
  all: readonly Row[];

  constructor(all: readonly Row[], setup: Partial<Setup> = {}, size = SIZE) {
    this.all = all;
    const step = initialState({ ...SETUP, ...setup }, size);
    this.state = step.state;
    this.#note(step);
  }

  /** Returns an inspector with its list loaded and its stream open. */
  static loaded(count: number, setup: Partial<Setup> = {}): Inspector {
    return new Inspector(rows(count), setup).connect().answer();
  }

  send(message: Message): this {
    this.#note((this.#last = update(this.state, message)));
    this.state = this.#last.state;
    return this;
  }

  connect(): this {
    return this.send({ type: 'connection', connection: { kind: 'live' } });
  }

  lose(): this {
    return this.send({ type: 'connection', connection: { kind: 'lost', why: '' } });
  }

  press(...keys: readonly string[]): this {
    for (const key of keys) this.send({ type: 'key', key, now: this.state.now });
    return this;
  }

  type(text: string): this {
    return this.press(...Array.from(text, (each) => (each === ' ' ? 'space' : each)));
  }

  /** Completes all loads, and the loads that those cause. */
  answer(): this {
    while (this.pending.length > 0) {
      const effect = this.pending.shift();
      if (effect?.type === 'load') this.send(this.pageFor(effect));
    }
    return this;
  }

  pageFor(effect: Extract<Effect, { type: 'load' }>): Message {
    const { view, pane, generation, cursor, filter, size } = effect;
    const found = this.all.filter(({ id }) => id?.includes(filter));
    const page = pageOf(found, cursor, size);
    return { type: 'page', view, pane, generation, isFirst: cursor === undefined, page };
  }

  get pane() {
    return currentPane(this.state);
  }

  get shown(): readonly Row[] {
    const view = currentView(this.state);
    const definition = screens[view.place.screen].panes[view.pane];
    return definition === undefined ? [] : rowsOf(this.pane, definition);
  }

  get selected(): Row | undefined {
    return this.shown[this.pane.selected];
  }

  loads(): readonly Extract<Effect, { type: 'load' }>[] {
    return this.asked.flatMap((effect) => (effect.type === 'load' ? [effect] : []));
  }

  #last: Step | undefined;

  #note({ effects }: Step): void {
    this.pending.push(...effects);
    this.asked.push(...effects);
  }
}
