/**
 * What all transforms of one request may cost together: its fields, their versions, every chain, the tokens and the
 * ingress rules of a proxied call. A step is the work on one character of plain text, some two nanoseconds.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { nextTurn } from '../../kernel/turns.ts';
import { MIB } from '../../kernel/units.ts';

export interface BudgetLimits {
  /** The sum over all transforms. */
  readonly steps: number;
  /** After so many others have their turn. */
  readonly stepsPerTurn: number;
  /** Characters or bytes that all transforms make together, results that the next one takes included. */
  readonly made: number;
  /** Characters that come out at the end, of all chains together. */
  readonly answered: number;
  /** Public keys of `encrypt` that differ: each is judged before anything is read, in one go. */
  readonly publicKeys: number;
}

export const BUDGET_LIMITS: BudgetLimits = {
  steps: 2 ** 30,
  stepsPerTurn: 2 ** 20,
  made: 256 * MIB,
  answered: 64 * MIB,
  publicKeys: 16,
};

/** The transforms of a request would take too much: 400 `transform_failed`, like a value that does not fit. */
export class BudgetSpent extends ServiceError {
  constructor() {
    super(
      'transform_failed',
      'The transforms of this request take more work than one request may ask for; ask for fewer fields or shorter chains',
    );
  }
}

export class TransformBudget {
  readonly limits: BudgetLimits;
  readonly #turn: () => Promise<void>;
  readonly #keys = new Map<string, unknown>();
  #steps = 0;
  #stepsOfTurn = 0;
  #made = 0;
  #answered = 0;

  /** `turn` resolves when the work may go on: the next turn of the event loop. */
  constructor(limits: Partial<BudgetLimits> = {}, turn: () => Promise<void> = nextTurn) {
    this.limits = { ...BUDGET_LIMITS, ...limits };
    this.#turn = turn;
  }

  /** Before work of so many steps: undefined, or a turn to wait for. Throws BudgetSpent. */
  spend(steps: number): Promise<void> | undefined {
    this.#steps += steps;
    if (this.#steps > this.limits.steps) throw new BudgetSpent();
    this.#stepsOfTurn += steps;
    if (this.#stepsOfTurn <= this.limits.stepsPerTurn) return undefined;
    this.#stepsOfTurn = steps;
    return this.#turn();
  }

  /** Counts what comes out of a whole chain. Throws BudgetSpent. */
  answer(units: number): void {
    this.#answered += units;
    if (this.#answered > this.limits.answered) throw new BudgetSpent();
  }

  /** Counts the result of one transform. Throws BudgetSpent. */
  make(units: number): void {
    this.#made += units;
    if (this.#made > this.limits.made) throw new BudgetSpent();
  }

  /** What `judge` makes of a public key, once for each. Throws `transform_invalid` for one key too many. */
  publicKey<T>(name: string, judge: () => T): T {
    if (!this.#keys.has(name)) {
      if (this.#keys.size === this.limits.publicKeys) {
        throw new ServiceError(
          'transform_invalid',
          `Transform encrypt: one request takes at most ${this.limits.publicKeys} different public keys`,
        );
      }
      this.#keys.set(name, judge());
    }
    return this.#keys.get(name) as T;
  }
}
