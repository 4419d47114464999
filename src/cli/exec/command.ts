/** The command of `kyclone exec`: our streams, our process group, its own exit code. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { causeOf } from '../../kernel/system-failure.ts';
import { SIGNAL_EXIT_BASE } from '../shell/exit-codes.ts';
import { CliError, UsageError } from '../shell/failure.ts';
import type { CaughtSignals } from './signals.ts';

/** As shells have it. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;

/** `argv` of the command, what stands behind `--`. Throws UsageError. */
export function commandOf(argv: readonly string[]): readonly [string, ...string[]] {
  const end = argv.indexOf('--');
  const [program, ...rest] = end === -1 ? [] : argv.slice(end + 1);
  if (program === undefined || program === '') {
    throw new UsageError('The command to run stands behind --', 'kyclone exec -- npm test');
  }
  return [program, ...rest];
}

/** Runs it to its end; answers its exit code, or 128 and the number of the signal that ended it. Throws CliError. */
export async function runCommand(
  [program, ...args]: readonly [string, ...string[]],
  { environment, signals }: { environment: NodeJS.ProcessEnv; signals: CaughtSignals },
): Promise<number> {
  try {
    const child = spawn(program, args, { stdio: 'inherit', env: environment });
    signals.passTo(child);
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) =>
        resolve(code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } catch (error) {
    throw notStarted(program, error);
  } finally {
    signals.passTo(undefined);
  }
}

function notStarted(program: string, error: unknown): CliError {
  const reason = (error as NodeJS.ErrnoException).code ?? 'failed';
  if (reason === 'ENOENT') {
    return new CliError(`The command ${program} was not found`, {
      code: 'command_not_found',
      exitCode: NOT_FOUND,
      hint: 'a command without a slash is looked for in PATH; shell words such as && need sh -c',
    });
  }
  return new CliError(`The command ${program} cannot be run: ${causeOf(error) ?? reason}`, {
    code: 'command_not_executable',
    exitCode: NOT_EXECUTABLE,
    ...(reason === 'EACCES' && { hint: 'chmod +x makes a file a command' }),
  });
}
