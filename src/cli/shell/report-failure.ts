/** Reports a command's failure on stderr, in the requested form, and sets the exit code. */
import { variableOf } from './environment.ts';
import { describeFailure, type Failure } from './failure.ts';
import { printableJson, printableLines } from '../../kernel/text/terminal-text.ts';
import { errorStyle, printable } from './output.ts';

interface Form {
  readonly asJson: boolean;
  readonly isDebugging: boolean;
  /** More members for the line of JSON. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Prints one line of JSON on stderr, or a message for people; sets the exit code. */
export function reportFailure(error: unknown, { asJson, isDebugging, members }: Form): void {
  const failure = describeFailure(error);
  const { message, code, context, exitCode, requestId } = failure;
  process.exitCode = exitCode;
  if (asJson) {
    // The variable to set is part of the message about a path. Other hints are for people only.
    const messageText = failure.path === undefined ? message : `${message}; ${hintOf(failure) ?? ''}`;
    const line = {
      message: messageText,
      code,
      context,
      request_id: requestId,
      exit_code: exitCode,
      ...members,
    };
    const json = JSON.stringify(line);
    process.stderr.write(`${process.stderr.isTTY ? printableJson(json) : json}\n`);
  } else {
    const hint = hintOf(failure);
    const style = errorStyle();
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

/** The next step, and the request unless the hint already names it. */
function hintOf({ hint, requestId, path }: Failure): string | undefined {
  if (path !== undefined) return `${hint ?? 'choose another path'}${elsewhere(path)}`;
  if (requestId === undefined || hint?.includes(requestId) === true) return hint;
  return hint === undefined ? `kyclone requests get ${requestId}` : `${hint} (request ${requestId})`;
}

function elsewhere(path: string): string {
  const variable = variableOf(path);
  return variable === undefined ? '' : `, or set ${variable} to another folder`;
}

/** The stack without the message, which may quote a value. */
function stackFrames(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join('\n');
}
