/** How a command says that it failed: on stderr, in the form that was asked for, with its exit code. */
import { variableOf, wantsColour } from './environment.ts';
import { describeFailure, type Failure } from './failure.ts';
import { printableJson, printableLines } from '../../kernel/terminal-text.ts';
import { COLOURED, PLAIN, printable } from './output.ts';

interface Form {
  readonly asJson: boolean;
  readonly isDebugging: boolean;
  /** More of what the line of JSON says. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** One line of JSON on stderr, or a message for people; sets the exit code. */
export function reportFailure(error: unknown, { asJson, isDebugging, members }: Form): void {
  const failure = describeFailure(error);
  const { message, code, context, exitCode, requestId } = failure;
  process.exitCode = exitCode;
  if (asJson) {
    // What to set belongs to what is said of a path; other hints are for people.
    const said = failure.path === undefined ? message : `${message}; ${hintOf(failure) ?? ''}`;
    const line = { message: said, code, context, request_id: requestId, exit_code: exitCode, ...members };
    const json = JSON.stringify(line);
    process.stderr.write(`${process.stderr.isTTY ? printableJson(json) : json}\n`);
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
    process.stderr.write(`${printableLines(stackFrames(error))}\n`);
}

/** What to do next, and the request, unless that names it already. */
function hintOf({ hint, requestId, path }: Failure): string | undefined {
  if (path !== undefined) return `${hint ?? 'choose another path'}${elsewhere(path)}`;
  if (requestId === undefined || hint?.includes(requestId) === true) return hint;
  return hint === undefined ? `kyclone requests get ${requestId}` : `${hint} (request ${requestId})`;
}

function elsewhere(path: string): string {
  const variable = variableOf(path);
  return variable === undefined ? '' : `, or set ${variable} to another folder`;
}

/** Where it happened, without the message, which may quote a value. */
function stackFrames(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join('\n');
}
