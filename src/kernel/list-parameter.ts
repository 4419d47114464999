import { ServiceError } from './errors.ts';

const MAX_ENTRIES = 100;

/** A comma-separated parameter: split, trimmed, empties and repeats dropped, 100 at most (contract §0.8). */
export function listParameter(name: string, text: string): string[] {
  const entries = new Set(
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  );
  if (entries.size > MAX_ENTRIES) {
    throw new ServiceError('invalid_request', `Query parameter ${name} has more than ${MAX_ENTRIES} entries`);
  }
  return [...entries];
}
