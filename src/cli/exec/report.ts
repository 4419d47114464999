/**
 * `exec --report DIR`: what a pipeline keeps of a run that failed. A report often becomes an artefact that many people
 * can fetch, so values are masked in all of it, and the command's arguments, which may hold a secret, are not in it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../kernel/private-folder.ts';
import { writePrivateFile } from '../../kernel/private-write.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { failedRequest, type Evidence } from './evidence.ts';
import { reportFolder } from './report-folder.ts';

export const REPORTED_LOG = 'daemon.log';

/** How a run ended, as the report has it. */
export interface RunEnd {
  readonly program: string;
  readonly exitCode: number;
  /** Milliseconds of `--timeout`, where it ended the command. */
  readonly timedOutAfter: number | undefined;
  /** A fixture that failed: the command was not run then. */
  readonly failure: { readonly code: string; readonly message: string } | undefined;
  readonly evidence: Evidence;
}

/** Writes it, files that an earlier run has left included. Throws CliError. */
export function writeReport(folder: string, end: RunEnd, logFile: string): void {
  try {
    makeFolder(folder);
    reportFolder(folder);
    for (const [name, content] of Object.entries(filesOf(end, logFile))) {
      writePrivateFile(join(folder, name), content);
    }
  } catch (error) {
    const why = error instanceof CliError ? error.message : (causeOf(error) ?? 'failed');
    throw new CliError(`The report cannot be written: ${why}`, {
      code: 'report_failed',
      exitCode: EXIT.failed,
      hint: 'the end of the run is as it would be without --report',
    });
  }
}

function filesOf({ evidence, ...end }: RunEnd, logFile: string): Record<string, string> {
  const { failed, report, gap } = evidence;
  return {
    'report.json': json({
      // Without its arguments.
      command: basename(end.program),
      exit_code: end.exitCode,
      timed_out_after_ms: end.timedOutAfter ?? null,
      failure: end.failure ?? null,
      failed_requests: failed.map(failedRequest),
      missing_because: gap ?? null,
    }),
    'failed-requests.json': json(failed),
    'requests.json': json(report?.requests ?? []),
    'events.json': json(report?.events ?? []),
    'expected.json': json({
      outcome_rules: report?.outcomeRules ?? [],
      fault_rules: report?.faultRules ?? [],
    }),
    [REPORTED_LOG]: existsSync(logFile) ? readFileSync(logFile, 'utf8') : '',
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
