import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Exchange } from '../../client/client.ts';
import { UsageError } from '../shell/failure.ts';
import { printableJson, printableLines } from '../../kernel/terminal-text.ts';
import { indentedJson, isJson } from '../shell/json-text.ts';
import { printable } from '../shell/output.ts';

/** Status line and headers, and the blank line behind them. */
export function headView({ status, headers }: Exchange<Buffer>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${printable(String(value))}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines, ''].join('\n');
}

/** The body as it came; on a terminal JSON is indented, and control sequences are shown as escapes. */
export function bodyView({ headers, body }: Exchange<Buffer>, isTerminal: boolean): string {
  const text = body.toString('utf8');
  if (!isTerminal) return text;
  if (!(headers['content-type'] ?? '').includes('json') || !isJson(text)) return printableLines(text);
  return printableJson(indentedJson(text));
}

/** What is in a body of JSON. Throws UsageError for any other. */
export function jsonBody({ body }: Exchange<Buffer>): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new UsageError('The answer is no JSON: there are no members to print');
  }
}

/** Whether a body is text; anything else goes out byte by byte, and to no terminal. */
export function isText({ headers, body }: Exchange<Buffer>): boolean {
  const type = headers['content-type'];
  return (type === undefined || /^text\/|[/+](?:json|javascript|xml|yaml)\b/.test(type)) && isUtf8(body);
}
