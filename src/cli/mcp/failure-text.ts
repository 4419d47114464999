/** The text of a failure for an assistant: what happened, where, and what to do. */
import { describeFailure } from '../shell/failure.ts';

const START = 'kyclone start -d starts one; the next call finds it';

/** Uses the words of the CLI's own failures, which contain no value. */
export function failureText(error: unknown): string {
  const { message, code, context = {}, hint, requestId } = describeFailure(error);
  const remedy = hint ?? (code === 'daemon_unreachable' ? START : undefined);
  return [
    `${message} (${code})`,
    ...Object.entries(context).map(([name, text]) => `${name}: ${text}`),
    ...(remedy === undefined ? [] : [`What to do: ${remedy}`]),
    ...(requestId === undefined ? [] : [`get_request shows the call: ${requestId}`]),
  ].join('\n');
}
