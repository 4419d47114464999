import { ApiError, UnreachableError } from '../client/errors.ts';

/**
 * A failure in words for the user. The daemon's messages contain no values (contract §0.5); other failures show only
 * their kind.
 */
export function inWords(error: unknown): string {
  if (error instanceof ApiError || error instanceof UnreachableError) return error.message;
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code)) return `It failed (${code})`;
  return error instanceof Error ? `It failed (${error.name})` : 'It failed';
}
