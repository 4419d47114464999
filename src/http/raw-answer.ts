/** A response for a connection without a parsed request, written without the HTTP library. */
import { STATUS_CODES } from 'node:http';
import type { ServiceError } from '../kernel/errors.ts';
import { errorAnswer } from './errors.ts';

/** Head and body; the response closes the connection. */
export function rawAnswer(refusal: ServiceError, requestId: string): string {
  const { status, body } = errorAnswer(refusal);
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...refusal.headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${text}`;
}
