/** What `kyclone exec` says besides the command: on stderr, as lines for people or as JSON. */
import { reportFailure } from '../shell/report-failure.ts';
import { CliError } from '../shell/failure.ts';
import { lastLines } from '../instance/log-file.ts';
import { printable, type Style } from '../shell/output.ts';
import { logLineView } from '../instance/view.ts';
import type { ExecEnd, ExecReports } from './run.ts';

interface FailureReport {
  readonly asJson: boolean;
  readonly style: Style;
  /** How many lines of the log. */
  readonly lines: number;
}

export function execReports({ asJson, style, lines }: FailureReport): ExecReports {
  return {
    notice(text) {
      if (!asJson) process.stderr.write(`${printable(text)}\n`);
    },
    trouble: (failure) => reportFailure(failure, { asJson, isDebugging: false }),
    lastWords(logFile) {
      if (!asJson) process.stderr.write(linesOf(logFile, lines, style));
    },
  };
}

/** Of a command that failed: the end of the daemon's log, and where the whole of it is. */
export function reportFailedRun(
  { exitCode, keptLog }: ExecEnd,
  { asJson, style, lines }: FailureReport,
): void {
  if (keptLog === undefined) return;
  if (asJson) {
    const failure = new CliError('The command failed', {
      code: 'command_failed',
      exitCode,
      context: { log_file: keptLog },
    });
    reportFailure(failure, { asJson, isDebugging: false });
    return;
  }
  const heading = `The command ended with ${exitCode}. The daemon's log is kept: ${printable(keptLog)}`;
  process.stderr.write(`${style.bold(heading)}\n${linesOf(keptLog, lines, style)}`);
}

function linesOf(file: string, count: number, style: Style): string {
  const found = lastLines(file, count)?.lines ?? [];
  return found.map((line) => `${style.dim(`  ${printable(logLineView(line))}`)}\n`).join('');
}
