/** The personas of bank links, and their simulations (contract §7.3). */
import { BANK_PERSONAS } from '../fixtures/bank-personas/index.ts';
import type { AccountType } from '../nouns/bank-links/facts.ts';
import { createBank } from './bank.ts';
import type { BankSimulation, BankSimulationSource } from './simulation.ts';

export interface PersonaSummary {
  readonly name: string;
  readonly description: string;
  /** The initial state of its links; null is connected. */
  readonly error: 'institution_error' | null;
  readonly accounts: readonly {
    readonly key: string;
    readonly name: string;
    readonly account_type: AccountType;
    readonly currency: string;
    readonly is_closed: boolean;
  }[];
}

/** In the order of the contract. */
export const PERSONAS: readonly PersonaSummary[] = BANK_PERSONAS.map((persona) => ({
  name: persona.name,
  description: persona.description,
  error: persona.error,
  accounts: persona.accounts.map(({ key, name, account_type, currency, closed }) => ({
    key,
    name,
    account_type,
    currency,
    is_closed: closed === true,
  })),
}));

/** Throws for an unknown persona. */
export function createBankSimulation(persona: string, source: BankSimulationSource): BankSimulation {
  const found = BANK_PERSONAS.find(({ name }) => name === persona);
  if (!found) throw new Error('No such persona');
  return createBank(found, source);
}
