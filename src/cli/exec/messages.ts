/** Messages of `kyclone exec` besides the command's output: on stderr, as text or as JSON. */
import { randomBytes } from 'node:crypto';
import { closeSync, writeFileSync } from 'node:fs';
import { lastLines } from '../instance/log-file.ts';
import { logLineView } from '../instance/view.ts';
import { durationText } from '../shell/times.ts';
import type { Pipeline } from '../shell/environment.ts';
import { CliError } from '../shell/failure.ts';
import { shortTime } from '../shell/layout.ts';
import { printable, type Style } from '../shell/output.ts';
import { reportFailure } from '../shell/report-failure.ts';
import { explanationOf, type FailedRequest, lastFailed } from './evidence.ts';
import type { ExecEnd, ExecReports, FailedRun } from './run.ts';
import { defined } from '../../kernel/defined.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { openToWrite } from '../../kernel/files/file-to-write.ts';
import { causeOf } from '../../kernel/system-failure.ts';

// Output for GitHub Actions about a failed run. The runner reads commands from a step's output, so foreign text is
// either escaped or printed while commands are disabled. The run's page shows Markdown, so each character that could
// be markup is written as an entity.

/** One line that the runner shows as an error beside the run. */
export function errorAnnotation(title: string, lines: readonly string[]): string {
  return `::error title=${escapedProperty(title)}::${escapedData(lines.map(printable).join('\n'))}\n`;
}

function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

/** The same text, with the runner's commands disabled. */
export function withoutCommands(text: string): string {
  const token = randomBytes(16).toString('hex');
  return `::stop-commands::${token}\n${text}::${token}::\n`;
}

/** Markdown: the result, and a row for each failed request. */
export function stepSummary(heading: string, requests: readonly FailedRequest[]): string {
  const rows = requests.map((request) =>
    [
      statusText(request.status),
      `${request.method} ${request.path}`,
      request.code ?? '',
      explanationOf(request).join('; '),
    ]
      .map((cell) => ` ${asEntities(cell)} `)
      .join('|'),
  );
  const table =
    rows.length === 0
      ? []
      : ['', '| Status | Request | Code | Why |', '|---|---|---|---|', ...rows.map((row) => `|${row}|`)];
  return [`### ${asEntities(heading)}`, ...table, '', ''].join('\n');
}

/** Returns the reason if it can't be written. */
export function appendSummary(file: string, markdown: string): string | undefined {
  try {
    const summary = openToWrite(file);
    try {
      writeFileSync(summary, markdown);
    } finally {
      closeSync(summary);
    }
    return undefined;
  } catch (error) {
    return error instanceof ServiceError ? error.message : (causeOf(error) ?? 'failed');
  }
}

function statusText(status: number): string {
  return status === 0 ? 'no answer' : String(status);
}

function asEntities(text: string): string {
  if (text === '') return '';
  return printable(text).replace(
    /[^\p{L}\p{N} /.,;=?]/gu,
    (character) => `&#${character.codePointAt(0) ?? 0};`,
  );
}

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
