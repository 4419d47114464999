/**
 * Output for GitHub Actions about a failed run. The runner reads commands from a step's output, so foreign text is
 * either escaped or printed while commands are disabled. The run's page shows Markdown, so each character that could
 * be markup is written as an entity.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, writeFileSync } from 'node:fs';
import { ServiceError } from '../../kernel/errors.ts';
import { openToWrite } from '../../kernel/file-to-write.ts';
import { causeOf } from '../../kernel/system-failure.ts';
import { printable } from '../../kernel/terminal-text.ts';
import { explanationOf, type FailedRequest } from './evidence.ts';

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

export function statusText(status: number): string {
  return status === 0 ? 'no answer' : String(status);
}

function asEntities(text: string): string {
  if (text === '') return '';
  return printable(text).replace(
    /[^\p{L}\p{N} /.,;=?]/gu,
    (character) => `&#${character.codePointAt(0) ?? 0};`,
  );
}
