/** The personas of bank links, and their simulations (contract §7.3). */
import { BANK_PERSONAS } from '../fixtures/bank-personas/index.ts';
import { createBank } from './bank.ts';
import type { BankSimulation, BankSimulationSource } from './simulation.ts';

export type PersonaSummary = (typeof PERSONAS)[number];

/** In the order of the contract. */
export const PERSONAS = BANK_PERSONAS.map(({ name, description, error, accounts }) => ({
  name,
  description,
  error,
  accounts: accounts.map(({ key, name: called, account_type, currency, closed }) => {
    return { key, name: called, account_type, currency, is_closed: closed === true };
  }),
}));

/** Throws for an unknown persona. */
export function createBankSimulation(persona: string, source: BankSimulationSource): BankSimulation {
  const found = BANK_PERSONAS.find(({ name }) => name === persona);
  if (!found) throw new Error('No such persona');
  return createBank(found, source);
}
