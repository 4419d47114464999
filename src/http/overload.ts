import { ServiceError } from '../kernel/errors.ts';

/** The refusal of what would be too much at once. `what` says what there is too much of. */
export function overloaded(what: string): ServiceError {
  return new ServiceError('overloaded', `${what}: try again in a moment`, {
    headers: { 'retry-after': '1' },
  });
}
