import { ServiceError } from './errors.ts';

const MAX_ENTRIES = 100;

/** A comma-separated parameter: split and trimmed, without empty entries or duplicates, at most 100 (contract §0.8). */
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
