import type { Client } from '../../client/client.ts';
import { printable } from '../../kernel/terminal-text.ts';
import { CliError, InputNeededError } from './failure.ts';
import { EXIT } from './exit-codes.ts';

/**
 * Lets a destructive command go on: agreed by `--yes`, on an ephemeral instance (nothing there is meant to last), or
 * by a person at a terminal. Throws InputNeededError when there is nobody to ask, CliError when the answer is no.
 */
export async function confirmLoss(
  what: string,
  ask: { readonly isAgreed: boolean; readonly isInteractive: boolean; readonly client: Client },
): Promise<void> {
  if (ask.isAgreed || (await isEphemeral(ask.client))) return;
  if (!ask.isInteractive)
    throw new InputNeededError(`${what} needs --yes when there is no terminal to ask on`);
  const { default: confirm } = await import('@inquirer/confirm');
  const agreed = await confirm(
    { message: printable(`${what}?`), default: false },
    { output: process.stderr },
  );
  if (!agreed)
    throw new CliError('Cancelled; nothing was changed', { code: 'cancelled', exitCode: EXIT.failed });
}

/** A caller that may not ask is treated as if the instance were durable. */
async function isEphemeral(client: Client): Promise<boolean> {
  try {
    return (await client.call('GET /_kyclone/info')).storage === 'ephemeral';
  } catch (error) {
    if (error instanceof Error && error.name === 'UnreachableError') throw error;
    if (error instanceof CliError) throw error;
    return false;
  }
}
