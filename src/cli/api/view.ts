import { isUtf8 } from 'node:buffer';
import { STATUS_CODES } from 'node:http';
import type { Exchange } from '../../client/client.ts';
import { UsageError } from '../shell/failure.ts';
import { printableJson, printableLines } from '../../kernel/text/terminal-text.ts';
import { isJson, parseJson } from '../../kernel/text/json.ts';
import { indentedJson } from '../shell/json-text.ts';
import { printable } from '../shell/output.ts';

/** Status line, headers and the blank line after them. */
export function headView({ status, headers }: Exchange<Buffer>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${printable(String(value))}`);
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`.trim(), ...lines, ''].join('\n');
}

/** The body as received. On a terminal, JSON is indented and control sequences are escaped. */
export function bodyView({ headers, body }: Exchange<Buffer>, isTerminal: boolean): string {
  const text = body.toString('utf8');
  if (!isTerminal) return text;
  if (!(headers['content-type'] ?? '').includes('json') || !isJson(text)) return printableLines(text);
  return printableJson(indentedJson(text));
}

/** Parses a JSON body. Throws UsageError for any other body. */
export function jsonBody({ body }: Exchange<Buffer>): unknown {
  const text = body.toString('utf8');
  if (isJson(text)) return parseJson(text);
  throw new UsageError('The response is not JSON, so it has no members to print');
}

/** Whether a body is text. Other bodies are written as raw bytes, but never to a terminal. */
export function isText({ headers, body }: Exchange<Buffer>): boolean {
  const type = headers['content-type'];
  return (type === undefined || /^text\/|[/+](?:json|javascript|xml|yaml)\b/.test(type)) && isUtf8(body);
}
