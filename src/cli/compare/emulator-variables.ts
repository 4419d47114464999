/**
 * Variables that the emulator can supply unless --set does: its playbook, and a bank intent. A remote needs a person
 * at its page for the intent.
 */
import type { Client } from '../../client/client.ts';
import type { PlayedScenario } from './play.ts';
import type { Variables } from './scenarios.ts';

export interface Emulator {
  readonly client: Client;
  /** Without it, only the given variables are available. */
  readonly controlToken: string | undefined;
  readonly scenarios: readonly PlayedScenario[];
}

/** Runs `work` with the given variables and others that the scenarios need. Deletes what it created for them. */
export async function withEmulatorVariables<T>(
  { client, controlToken, scenarios }: Emulator,
  given: Variables,
  work: (set: Variables) => Promise<T>,
): Promise<T> {
  const isWanted = (name: string) =>
    controlToken !== undefined &&
    !Object.hasOwn(given, name) &&
    scenarios.some(({ fixture }) => Object.hasOwn(fixture.vars, name));
  const set = { ...given, ...(isWanted('KYC_PLAYBOOK') && (await playbookOf(client))) };
  if (!isWanted('BANK_INTENT')) return await work(set);
  const { id } = await client.call('POST /users', { body: {} });
  try {
    const { intent_token } = await client.call('POST /_kyclone/bank_link_intents', { body: { fp_id: id } });
    return await work({ ...set, BANK_INTENT: intent_token });
  } finally {
    await client.call('DELETE /users/{fp_id}', { params: { fp_id: id } });
  }
}

async function playbookOf(client: Client): Promise<Variables> {
  const { data } = await client.call('GET /_kyclone/playbooks');
  const playbook = data.find(({ kind, is_live }) => kind === 'kyc' && !is_live);
  return playbook === undefined ? {} : { KYC_PLAYBOOK: playbook.key };
}
