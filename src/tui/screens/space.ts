/**
 * Adds the environment to the requests and commands that `Y` and `c` copy. The sandbox is the default and needs
 * nothing.
 */
import type { TenantEnvironment } from '../data/source.ts';

/** A path of the control plane with the environment in its query. */
export function spacedPath(path: string, { environment }: TenantEnvironment): string {
  if (environment === 'sandbox') return path;
  return `${path}${path.includes('?') ? '&' : '?'}environment=${environment}`;
}

/** The words of a command that takes `--live`. */
export function spacedCommand(
  words: readonly string[],
  { environment }: TenantEnvironment,
): readonly string[] {
  return environment === 'live' ? [...words, '--live'] : words;
}
