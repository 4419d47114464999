/** What is known of a persona before a link is made of it: the daemon says that it exists, its data what it has. */
import type { Client } from '../../client/client.ts';
import type { AccountType } from '../../contract/bank-records.ts';
import { BANK_PERSONAS } from '../../fixtures/bank-personas/index.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { nearest } from '../../kernel/nearest.ts';

export interface Persona {
  readonly name: string;
  readonly description: string;
  readonly kind: 'bank';
  /** How far back its transactions go. */
  readonly history_days: number;
  readonly accounts: readonly {
    readonly account_type: AccountType;
    readonly name: string;
    readonly currency: string;
  }[];
}

/** Throws CliError when there is no such persona. */
export async function findPersona(client: Client, name: string): Promise<Persona> {
  const known = await client.call('GET /_kyclone/personas');
  const found = known.find((persona) => persona.name === name);
  const data = BANK_PERSONAS.find((persona) => persona.name === name);
  if (found && data) {
    const accounts = data.accounts.map(({ account_type, name: account, currency }) => ({
      account_type,
      name: account,
      currency,
    }));
    return { ...found, history_days: data.history_days, accounts };
  }
  const meant = nearest(
    name,
    known.map((persona) => persona.name),
  );
  throw new CliError(`There is no such persona${meant === undefined ? '' : `; did you mean "${meant}"?`}`, {
    code: 'not_found',
    exitCode: EXIT.notFound,
    hint: 'kyclone bank personas list names them',
  });
}
