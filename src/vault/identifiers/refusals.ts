import { REFUSAL_TEXTS } from '../../contract/facts/refusals.ts';
import { ServiceError } from '../../kernel/errors.ts';

/**
 * The reason why a submitted value is refused. Cleaners return it instead of throwing, so that all problems are
 * reported at once.
 */
export class Refusal {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The same reason with what was found, which must not be a part of the value (contract §1.1). */
export function withFound({ reason }: Refusal, found: string | undefined): Refusal {
  return new Refusal(found === undefined ? reason : `${reason}: ${found}`);
}

/** The context messages of contract §1.1, by tag. */
export const REFUSED = Object.fromEntries(
  Object.entries(REFUSAL_TEXTS).map(([tag, text]) => [tag, new Refusal(text)]),
) as Record<keyof typeof REFUSAL_TEXTS, Refusal>;

const NAMED_IN_MESSAGE = 20;

/** `T120` with one context entry for each invalid identifier; the message names the first 20 (contract §1.1). */
export function vaultDataNotValid(problems: ReadonlyMap<string, Refusal>): ServiceError {
  const named = [...problems.keys()].slice(0, NAMED_IN_MESSAGE).join(', ');
  const context = Object.fromEntries([...problems].map(([name, refusal]) => [name, refusal.reason]));
  return new ServiceError('T120', `Vault data is not valid: ${named}`, { context });
}
