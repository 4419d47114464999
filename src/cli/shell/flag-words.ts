/**
 * What the daemon says of a member, a header or a query parameter, in the words of the command line: `--ttl must be …`
 * where `--ttl` was typed. Other messages, and members that no flag was typed for, stay as they are.
 */
import { ApiError } from '../../client/errors.ts';

const NAMED = /^(?:Query parameter |Header )?([a-z][a-z0-9_.-]*)(?=(?:\[\d+\])* (?:must|is) )/;

/** The error itself, or the same one about flags. `argv` is the command line, `declared` the names of the flags. */
export function inFlagWords(
  error: unknown,
  { argv, declared }: { argv: readonly string[]; declared: readonly string[] },
): unknown {
  if (!(error instanceof ApiError) || error.code !== 'invalid_request') return error;
  const typed = declared.filter((flag) =>
    argv.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`)),
  );
  const message = error.message
    .split('; ')
    .map((sentence) => sentence.replace(NAMED, (named, name: string) => flagOf(name, typed) ?? named))
    .join('; ');
  if (message === error.message) return error;
  const { code, status, context, requestId, endpoint } = error;
  return new ApiError({ code, message, status, context, requestId, endpoint });
}

/** `latency_ms` is not `--latency`: what that takes are durations, and the daemon speaks of milliseconds. */
function flagOf(name: string, typed: readonly string[]): string | undefined {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const flag = last.replace(/^x-/, '').replaceAll('_', '-');
  return typed.includes(flag) ? `--${flag}` : undefined;
}
