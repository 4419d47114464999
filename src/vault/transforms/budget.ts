/**
 * The total cost allowed for the transforms of one request: its fields, their versions, every chain, the tokens and the
 * ingress rules of a proxied call. A step is the work on one character of plain text, about two nanoseconds.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { nextTurn } from '../../kernel/turns.ts';
import { MIB } from '../../kernel/units.ts';

export interface BudgetLimits {
  /** The sum over all transforms. */
  readonly steps: number;
  /** After this number of steps other work gets a turn. */
  readonly stepsPerTurn: number;
  /** Characters of all results together that are longer than what they were made of, including intermediate results. */
  readonly made: number;
  /** Characters in the final results of all chains together. */
  readonly answered: number;
  /** Distinct public keys of `encrypt`: each is checked before anything is read, without a pause. */
  readonly publicKeys: number;
}

export const BUDGET_LIMITS: BudgetLimits = {
  steps: 2 ** 30,
  stepsPerTurn: 2 ** 20,
  made: MIB,
  answered: 64 * MIB,
  publicKeys: 16,
};

/** The transforms of a request cost too much: 400 `transform_failed`, as for a value that does not fit. */
export class BudgetSpent extends ServiceError {
  constructor() {
    super(
      'transform_failed',
      `The transforms of this request take more work, or make more than the ${BUDGET_LIMITS.made / MIB} MiB of longer values, than one request may ask for; ask for fewer fields or shorter chains`,
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

  /** `turn` resolves when the work may continue: at the next turn of the event loop. */
  constructor(limits: Partial<BudgetLimits> = {}, turn: () => Promise<void> = nextTurn) {
    this.limits = { ...BUDGET_LIMITS, ...limits };
    this.#turn = turn;
  }

  /** Call it before work of this many steps: returns undefined, or a turn to wait for. Throws BudgetSpent. */
  spend(steps: number): Promise<void> | undefined {
    this.#steps += steps;
    if (this.#steps > this.limits.steps) throw new BudgetSpent();
    this.#stepsOfTurn += steps;
    if (this.#stepsOfTurn <= this.limits.stepsPerTurn) return undefined;
    this.#stepsOfTurn = steps;
    return this.#turn();
  }

  /** Counts the result of a whole chain. Throws BudgetSpent. */
  answer(units: number): void {
    this.#answered += units;
    if (this.#answered > this.limits.answered) throw new BudgetSpent();
  }

  /** Call it before this many characters of a longer result are made. Throws BudgetSpent. */
  make(units: number): void {
    this.#made += units;
    if (this.#made > this.limits.made) throw new BudgetSpent();
  }

  /**
   * Returns the result of `judge` for a public key, which is called once for each key. Throws `transform_invalid` for
   * one key too many.
   */
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
