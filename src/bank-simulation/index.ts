/** The personas that links are made of, and their worlds (contract §7.3). */
import { BANK_PERSONAS } from '../fixtures/bank-personas/index.ts';
import { createBank } from './bank.ts';
import type { BankSimulation, BankSimulationSource } from './simulation.ts';

export interface PersonaSummary {
  readonly name: string;
  readonly description: string;
  /** The state in which its links start: null is connected. */
  readonly error: 'institution_error' | null;
}

/** In the order of the contract. */
export const PERSONAS: readonly PersonaSummary[] = BANK_PERSONAS.map(({ name, description, error }) => ({
  name,
  description,
  error,
}));

/** Throws when there is no such persona. */
export function createBankSimulation(persona: string, source: BankSimulationSource): BankSimulation {
  const found = BANK_PERSONAS.find(({ name }) => name === persona);
  if (!found) throw new Error('No such persona');
  return createBank(found, source);
}
