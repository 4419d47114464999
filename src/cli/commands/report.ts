import { existsSync } from 'node:fs';
import { string as stringArg } from '@oclif/core/args';
import { collectEvidence, lastFailed, type Evidence, type FailedRequest } from '../exec/evidence.ts';
import { requestLine } from '../exec/messages.ts';
import { reportFolder } from '../exec/report-folder.ts';
import { writeReport } from '../exec/report.ts';
import { BaseCommand } from '../shell/base-command.ts';
import { CliError, describeFailure } from '../shell/failure.ts';
import { printable, type Style } from '../shell/output.ts';

interface Written {
  readonly folder: string;
  readonly files: readonly string[];
  /** The most recent ones. */
  readonly failed_requests: readonly FailedRequest[];
}

export default class Report extends BaseCommand<Written> {
  static override summary =
    'Write requests, deliveries, events, rules and the log into a folder, values masked';
  static override description = [
    'For a bug report, or as the artefact of a job that failed: the files that kyclone exec --report writes. They contain no keys and no values. Files of an earlier report are replaced.',
    'If the daemon has ended, only the log is written, and the exit code is 5.',
  ].join('\n\n');
  static override examples = ['kyclone-report', './evidence --json'];
  static override args = {
    folder: stringArg({
      description: 'a folder of your own, or one that does not exist yet',
      required: true,
    }),
  };

  async run(): Promise<Written> {
    const { args } = await this.parse(Report);
    const parameter = 'FOLDER';
    const folder = reportFolder(args.folder, parameter);
    const { instance } = await this.meant;
    const logFile = instance?.paths.logFile;
    const evidence = await this.#evidence();
    const { gap } = evidence;
    if (gap !== undefined && (logFile === undefined || !existsSync(logFile))) throw failureOf(gap);
    const files = writeReport(folder, { evidence, run: undefined, logFile, parameter });
    if (gap !== undefined) throw failureOf(gap, `; the log is in ${folder}`);
    return this.present({ folder, files, failed_requests: lastFailed(evidence) }, reportView);
  }

  async #evidence(): Promise<Evidence> {
    try {
      return await collectEvidence(await this.access, true);
    } catch (error) {
      return { failed: [], report: undefined, gap: describeFailure(error) };
    }
  }
}

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
