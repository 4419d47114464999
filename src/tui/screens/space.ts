/** What `Y` and `c` copy must ask for the environment that is looked at: the sandbox is what is asked for by itself. */
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
