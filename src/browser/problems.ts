/** Sentences about problems, for `onError`; without `onError` the console has them. */
import { VaultError } from '../form/errors.ts';
import { problemOf } from '../hosted/embed-reach.ts';
import { currentBaseUrl } from './base-url.ts';

/** A call without an answer has a reason that another question reveals. */
export async function sentenceAbout(error: unknown): Promise<string> {
  const isUnreachable = error instanceof VaultError && error.code === 'unreachable';
  const reason = isUnreachable ? await problemOf(currentBaseUrl()) : undefined;
  return reason ?? (error instanceof Error ? error.message : String(error));
}

export async function reportTo(
  onError: ((message: string) => void) | undefined,
  error: unknown,
): Promise<void> {
  const message = await sentenceAbout(error);
  if (onError) onError(message);
  // eslint-disable-next-line no-console -- an app without onError has no other place for it
  else console.error(`kyclone: ${message}`);
}
