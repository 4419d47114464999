import { existsSync } from 'node:fs';
import { string as stringArg } from '@oclif/core/args';
import { collectEvidence, lastFailed, type Evidence, type FailedRequest } from '../exec/evidence.ts';
import { requestLine } from '../exec/messages.ts';
import { reportFolder } from '../exec/report-folder.ts';
import { writeReport } from '../exec/report.ts';
import { made } from '../shell/derived.ts';
import { CliError, describeFailure } from '../shell/failure.ts';
import { printable, type Style } from '../shell/output.ts';

interface Written {
  readonly folder: string;
  readonly files: readonly string[];
  /** The most recent ones. */
  readonly failed_requests: readonly FailedRequest[];
}

export default made(
  {
    summary: 'Write requests, deliveries, events, rules and the log into a folder, values masked',
    description: [
      'For a bug report, or as the artefact of a job that failed: the files that kyclone exec --report writes. They contain no keys and no values. Files of an earlier report are replaced.',
      'If the daemon has ended, only the log is written, and the exit code is 5.',
    ].join('\n\n'),
    examples: ['kyclone-report', './evidence --json'],
    args: {
      folder: stringArg({
        description: 'a folder of your own, or one that does not exist yet',
        required: true,
      }),
    },
    view: reportView,
  },
  async ({ args }, { meant, access }): Promise<Written> => {
    const parameter = 'FOLDER';
    const folder = reportFolder(args.folder, parameter);
    const { instance } = await meant();
    const logFile = instance?.paths.logFile;
    const evidence = await access().then(
      (found) => collectEvidence(found, true),
      (error: unknown): Evidence => ({ failed: [], report: undefined, gap: describeFailure(error) }),
    );
    const { gap } = evidence;
    if (gap !== undefined && (logFile === undefined || !existsSync(logFile))) throw failureOf(gap);
    const files = writeReport(folder, { evidence, run: undefined, logFile, parameter });
    if (gap !== undefined) throw failureOf(gap, `; the log is in ${folder}`);
    return { folder, files, failed_requests: lastFailed(evidence) };
  },
);

function failureOf({ message, ...gap }: NonNullable<Evidence['gap']>, more = ''): CliError {
  return new CliError(`${message}${more}`, gap);
}

function reportView({ folder, failed_requests: failed }: Written, style: Style): string {
  return [
    `The report is in ${printable(folder)}`,
    ...(failed.length === 0 ? [] : ['The last failed requests:']),
    ...failed.map((request) => `  ${requestLine(request, style)}`),
  ].join('\n');
}
