/** The choices on a bank page: the institution, the persona, and its accounts (contract §14). Pure. */
import type { AnswerOf } from '../../../contract/registry.ts';
import { EXAMPLE_INSTITUTIONS } from '../facts.ts';
import { type ServiceError, invalid } from '../../../kernel/errors.ts';
import type { BankSimulations } from './simulations.ts';

/** May be incomplete. */
export interface BankChoice {
  readonly institution: string;
  readonly persona: string | null;
  /** Keys of the persona's accounts. */
  readonly accounts: readonly string[] | null;
}

/** A complete choice, from which a link can be created. */
export interface WholeChoice extends BankChoice {
  readonly persona: string;
  readonly accounts: readonly string[];
}

export type BankChoices = AnswerOf<'GET /hosted/session/bank'>;

export function choicesOf(
  { personas }: Pick<BankSimulations, 'personas'>,
  suggested: BankChoices['suggested'],
): BankChoices {
  return {
    institutions: [...new Set([suggested.institution, ...EXAMPLE_INSTITUTIONS])],
    personas: personas.map(({ name, description, error, accounts }) => ({
      name,
      description,
      fails: error !== null,
      accounts: accounts.map((account) => ({ ...account })),
    })),
    suggested,
  };
}

/** Throws `invalid_request` for an unknown persona, and for accounts that it doesn't have. */
export function requireChoice(
  { personas }: Pick<BankSimulations, 'personas'>,
  { persona, accounts }: BankChoice,
): void {
  if (persona === null) {
    if (accounts !== null) throw refused('accounts', 'needs a persona');
    return;
  }
  const found = personas.find(({ name }) => name === persona);
  if (!found) throw refused('persona', `must be one of ${personas.map(({ name }) => name).join(', ')}`);
  if (accounts === null) return;
  if (new Set(accounts).size < accounts.length)
    throw refused('accounts', 'must be different keys of accounts');
  const keys = found.accounts.map(({ key }) => key);
  if (!accounts.every((key) => keys.includes(key))) {
    throw refused('accounts', `must be accounts of the persona: ${keys.join(', ')}`);
  }
  if (accounts.length === 0 && keys.length > 0) throw refused('accounts', 'must name one account at least');
}

export function isWhole<Choice extends BankChoice>(
  choice: Choice | undefined,
): choice is Choice & WholeChoice {
  return choice !== undefined && choice.persona !== null && choice.accounts !== null;
}

function refused(member: string, why: string): ServiceError {
  return invalid(`${member} ${why}`, { context: { [member]: why } });
}
