/** Messages of `kyclone exec` besides the command's output: on stderr, as text or as JSON. */
import { lastLines } from '../instance/log-file.ts';
import { logLineView } from '../instance/view.ts';
import { durationText } from '../shell/times.ts';
import type { Pipeline } from '../shell/environment.ts';
import { CliError } from '../shell/failure.ts';
import { shortTime } from '../shell/layout.ts';
import { printable, type Style } from '../shell/output.ts';
import { reportFailure } from '../shell/report-failure.ts';
import { explanationOf, lastFailed, type FailedRequest } from './evidence.ts';
import { appendSummary, errorAnnotation, statusText, stepSummary, withoutCommands } from './github.ts';
import type { ExecEnd, ExecReports, FailedRun } from './run.ts';
import { defined } from '../../kernel/defined.ts';

export interface Output {
  readonly asJson: boolean;
  readonly style: Style;
  /** How many lines of the log. */
  readonly lines: number;
}

export function execReports({ asJson, style, lines }: Output): ExecReports {
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

/** For a failed run: the result, its last failed requests, the end of the log, and where the rest is. */
export function reportFailedRun(
  exitCode: ExecEnd['exitCode'],
  failed: FailedRun,
  { pipeline, ...output }: Output & { readonly pipeline: Pipeline },
): void {
  const requests = lastFailed(failed.evidence);
  const heading = headingOf(exitCode, failed);
  if (output.asJson) {
    reportAsJson(exitCode, failed, requests);
  } else {
    if (failed.failure !== undefined) reportFailure(failed.failure, { asJson: false, isDebugging: false });
    const text = detailsOf(heading, failed, requests, output);
    process.stderr.write(pipeline.isGitHub ? withoutCommands(text) : text);
  }
  if (pipeline.isGitHub) {
    const lines = [heading, ...requests.map((request) => requestLine(request))];
    process.stderr.write(errorAnnotation('kyclone exec', lines));
  }
  if (pipeline.summaryFile !== undefined) {
    const refused = appendSummary(pipeline.summaryFile, stepSummary(`kyclone exec: ${heading}`, requests));
    if (refused !== undefined && !output.asJson) {
      process.stderr.write(`The file of GITHUB_STEP_SUMMARY cannot be written: ${refused}\n`);
    }
  }
}

function headingOf(exitCode: number, { timedOutAfter, failure }: FailedRun): string {
  if (failure !== undefined) return 'The command was not run';
  return timedOutAfter === undefined
    ? `The command ended with ${exitCode}`
    : `The command was stopped: it ran for longer than ${durationText(timedOutAfter)} (--timeout)`;
}

function detailsOf(
  heading: string,
  { evidence, logFile, report }: FailedRun,
  requests: readonly FailedRequest[],
  { style, lines }: Output,
): string {
  const kept =
    report === undefined
      ? `The daemon's log is kept: ${printable(logFile)}`
      : `The report is in ${printable(report)}`;
  return [
    style.bold(`${heading}. ${kept}`),
    ...(evidence.gap === undefined
      ? []
      : [`The journal could not be read: ${printable(evidence.gap.message)}`]),
    ...(requests.length === 0 ? [] : ['The last failed requests:']),
    ...requests.map((request) => `  ${requestLine(request, style)}`),
    linesOf(logFile, lines, style),
  ].join('\n');
}

export function requestLine(request: FailedRequest, style?: Style): string {
  const { at, method, path, status, code } = request;
  const paint = status === 0 || status >= 500 ? style?.bad : style?.warn;
  const why = explanationOf(request).map(printable).join('; ');
  return [
    shortTime(at).slice('2026-01-31 '.length),
    (paint ?? String)(statusText(status)),
    `${printable(method)} ${printable(path)}`,
    ...(code === null ? [] : [printable(code)]),
    ...(why === '' ? [] : [`(${why})`]),
  ].join('  ');
}

function reportAsJson(
  exitCode: number,
  { timedOutAfter, failure, logFile, report }: FailedRun,
  requests: readonly FailedRequest[],
): void {
  const context = { log_file: logFile, ...defined({ report }) };
  const shown = requests.map(({ hint = null, ...request }) => ({ ...request, hint }));
  const [message, code] =
    timedOutAfter === undefined
      ? (['The command failed', 'command_failed'] as const)
      : (['The command ran out of time', 'command_timed_out'] as const);
  const reported = failure ?? { message, code, hint: undefined, context: {} };
  const { hint } = reported;
  const shownFailure = new CliError(reported.message, {
    code: reported.code,
    exitCode,
    hint,
    context: { ...reported.context, ...context },
  });
  reportFailure(shownFailure, { asJson: true, isDebugging: false, members: { failed_requests: shown } });
}

function linesOf(file: string, count: number, style: Style): string {
  const found = lastLines(file, count + OWN_READS)?.lines.filter((line) => !isOwnRead(line)) ?? [];
  return (count === 0 ? [] : found.slice(-count))
    .map((line) => `${style.dim(`  ${printable(logLineView(line))}`)}\n`)
    .join('');
}

/** The maximum number of log lines that `collectEvidence` causes. */
const OWN_READS = 160;
const OWN_READ =
  /"method":"GET","route":"\/_kyclone\/(?:health|requests|events|deliveries|outcomes|faults)","status":200\b/;

/** The shown end of the log should be about the command. The journal reads after it would displace that. */
function isOwnRead(line: string): boolean {
  return OWN_READ.test(line);
}
