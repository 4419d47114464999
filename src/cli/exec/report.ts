/**
 * `exec --report DIR` and `report DIR`: the files that a pipeline keeps of a failed run. A report often becomes an
 * artefact that many people can download. So all values in it are masked, and it doesn't contain the command's
 * arguments, which may include a secret.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defined } from '../../kernel/defined.ts';
import { makeFolder } from '../../kernel/files/private-folder.ts';
import { writePrivateFile } from '../../kernel/files/private-write.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { CliError } from '../shell/failure.ts';
import { failedRequest, type Evidence } from './evidence.ts';
import { reportFolder } from './report-folder.ts';

export const REPORTED_LOG = 'daemon.log';

interface RunEnd {
  readonly program: string;
  readonly exitCode: number;
  /** Milliseconds of `--timeout`, if it ended the command. */
  readonly timedOutAfter: number | undefined;
  /** A failed fixture, which prevented the command from running. */
  readonly failure: { readonly code: string; readonly message: string } | undefined;
}

interface Report {
  readonly evidence: Evidence;
  /** Undefined for `kyclone report`, which runs no command. */
  readonly run: RunEnd | undefined;
  /** Undefined if the daemon's log is not on this machine. */
  readonly logFile: string | undefined;
  /** The flag or argument that names the folder. */
  readonly parameter: string;
}

/** Writes the report over files of an earlier one. Returns the file names. Throws CliError. */
export function writeReport(folder: string, report: Report): string[] {
  try {
    makeFolder(folder);
    reportFolder(folder, report.parameter);
    const files = filesOf(report);
    for (const [name, content] of Object.entries(files)) writePrivateFile(join(folder, name), content);
    return Object.keys(files);
  } catch (error) {
    const isOurs = error instanceof CliError || error instanceof ServiceError;
    const why = isOurs ? error.message : (causeOf(error) ?? 'failed');
    throw new CliError(`The report cannot be written: ${why}`, {
      code: 'report_failed',
      ...defined({ hint: report.run && 'the result of the run is the same as without --report' }),
    });
  }
}

function filesOf({ evidence, run, logFile }: Report): Record<string, string> {
  const { failed, report, gap } = evidence;
  return {
    'report.json': json({
      // Without its arguments.
      command: run === undefined ? null : basename(run.program),
      exit_code: run?.exitCode ?? null,
      timed_out_after_ms: run?.timedOutAfter ?? null,
      failure: run?.failure ?? null,
      failed_requests: failed.map(failedRequest),
      missing_because: gap?.message ?? null,
    }),
    'failed-requests.json': json(failed),
    'requests.json': json(report?.requests ?? []),
    'events.json': json(report?.events ?? []),
    'deliveries.json': json(report?.deliveries ?? []),
    'expected.json': json({
      outcome_rules: report?.outcomeRules ?? [],
      fault_rules: report?.faultRules ?? [],
    }),
    [REPORTED_LOG]: logFile !== undefined && existsSync(logFile) ? readFileSync(logFile, 'utf8') : '',
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
