import { CliError } from '../../src/cli/shell/failure.ts';

/** Returns the CliError that the work must throw. */
export function failureOf(work: () => unknown): CliError {
  try {
    work();
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('It did not fail');
}
