/** What `Y` and `c` copy of a row: a command and a request that show the same. */
import type { TenantEnvironment } from '../data/source.ts';
import type { CallText } from '../state/model.ts';

export interface Copies {
  /** Words, as in `Row`. */
  readonly command: readonly string[];
  readonly call: CallText;
}

/**
 * `space`: of a command that takes `--live`, and of a path that takes the environment, if it is of the control plane.
 * The sandbox is the default and needs nothing.
 */
export function copiesOf(words: readonly string[], path: string, space?: TenantEnvironment): Copies {
  const isLive = space?.environment === 'live';
  const isNamed = isLive && path.startsWith('/_kyclone/');
  const query = `${path.includes('?') ? '&' : '?'}environment=live`;
  return {
    command: isLive ? [...words, '--live'] : words,
    call: { method: 'GET', path: isNamed ? path + query : path },
  };
}
