/**
 * `exec --report DIR` and `report DIR`: what a pipeline keeps of a run that failed. A report often becomes an artefact that many people
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
interface RunEnd {
  readonly program: string;
  readonly exitCode: number;
  /** Milliseconds of `--timeout`, where it ended the command. */
  readonly timedOutAfter: number | undefined;
  /** A fixture that failed: the command was not run then. */
  readonly failure: { readonly code: string; readonly message: string } | undefined;
}

interface Report {
  readonly evidence: Evidence;
  /** Undefined where kyclone has run no command: `kyclone report`. */
  readonly run: RunEnd | undefined;
  /** Undefined where the daemon's isn't on this machine. */
  readonly logFile: string | undefined;
  /** The flag or argument that names the folder. */
  readonly parameter: string;
}

/** Writes it, files that an earlier run has left included; returns their names. Throws CliError. */
export function writeReport(folder: string, report: Report): string[] {
  try {
    makeFolder(folder);
    reportFolder(folder, report.parameter);
    const files = filesOf(report);
    for (const [name, content] of Object.entries(files)) writePrivateFile(join(folder, name), content);
    return Object.keys(files);
  } catch (error) {
    const why = error instanceof CliError ? error.message : (causeOf(error) ?? 'failed');
    throw new CliError(`The report cannot be written: ${why}`, {
      code: 'report_failed',
      exitCode: EXIT.failed,
      ...(report.run !== undefined && { hint: 'the end of the run is as it would be without --report' }),
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
