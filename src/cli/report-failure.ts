/** How a command says that it failed: on stderr, in the form that was asked for, with its exit code. */
import { wantsColour } from './environment.ts';
import { describeFailure, type Failure } from './failure.ts';
import { COLOURED, PLAIN, printable } from './output.ts';

/** One line of JSON on stderr, or a message for people; sets the exit code. */
export function reportFailure(
  error: unknown,
  { asJson, isDebugging }: { asJson: boolean; isDebugging: boolean },
): void {
  const failure = describeFailure(error);
  const { message, code, context, exitCode, requestId } = failure;
  process.exitCode = exitCode;
  if (asJson) {
    const line = { message, code, context, request_id: requestId, exit_code: exitCode };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  } else {
    const hint = hintOf(failure);
    const style = wantsColour(process.stderr) ? COLOURED : PLAIN;
    const lines = [
      `${style.bad('Error:')} ${printable(message)}`,
      ...Object.entries(context ?? {}).map(([name, text]) => `  ${printable(name)}: ${printable(text)}`),
      ...(hint === undefined ? [] : [style.dim(`Hint: ${printable(hint)}`)]),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  }
  if (isDebugging && code === 'internal_error' && error instanceof Error)
    process.stderr.write(`${stackFrames(error)}\n`);
}

/** What to do next, and the request, unless that names it already. */
function hintOf({ hint, requestId }: Failure): string | undefined {
  if (requestId === undefined || hint?.includes(requestId) === true) return hint;
  return `${hint ?? 'see the journal'} (request ${requestId})`;
}

/** Where it happened, without the message, which may quote a value. */
function stackFrames(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join('\n');
}
