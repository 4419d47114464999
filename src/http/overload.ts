import { ServiceError } from '../kernel/errors.ts';

/** The error for exceeding a limit on concurrent work. `what` says what there is too much of. */
export function overloaded(what: string): ServiceError {
  return new ServiceError('overloaded', `${what}: try again in a moment`, {
    headers: { 'retry-after': '1' },
  });
}
