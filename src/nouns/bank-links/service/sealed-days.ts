/**
 * Prepares simulated days for the store. There may be fifty thousand transactions, so they are generated and sealed
 * beforehand, in slices between which other requests are served, and stored in one write job.
 */
import { sealEntry, type NewTransaction } from './ledger.ts';
import { completeDays } from './simulations.ts';
import type { BankSimulation, BankSimulationState } from '../../../bank-simulation/simulation.ts';
import { nextTurn } from '../../../kernel/turns.ts';

/** The number sealed before other work gets a turn. */
const SLICE = 200;

export interface SealedDays {
  /** The state of the simulation after them. */
  readonly state: BankSimulationState;
  readonly transactions: readonly NewTransaction[];
}

/** The days after `state` that are complete at `until` (epoch milliseconds). */
export async function sealDays(
  world: BankSimulation,
  { state: begin, until }: { readonly state: BankSimulationState; readonly until: number },
  place: Parameters<typeof sealEntry>[1],
): Promise<SealedDays> {
  const transactions: NewTransaction[] = [];
  let state = begin;
  for (const day of completeDays(world, state, until)) {
    for (const entry of day.entries) {
      transactions.push(sealEntry(entry, place));
      if (transactions.length % SLICE === 0) await nextTurn();
    }
    state = day.state;
  }
  return { state, transactions };
}
