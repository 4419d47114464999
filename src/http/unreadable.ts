import { ServiceError } from '../kernel/errors.ts';
import { errorAnswer } from './errors.ts';

/** Requests Node could not read: over the header limit, or no HTTP at all. */
export function answerUnreadable(
  error: Error & { code?: string },
  socket: NodeJS.WritableStream & { writable: boolean; destroy(): void },
  requestId: string,
): void {
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const { status, body } = errorAnswer(
    isTooLarge
      ? new ServiceError('headers_too_large', 'The request head is over 64 KiB')
      : new ServiceError('invalid_request', 'The request is not valid HTTP'),
  );
  const text = JSON.stringify(body);
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${status} ${isTooLarge ? 'Request Header Fields Too Large' : 'Bad Request'}\r\n` +
        `content-type: application/json; charset=utf-8\r\nx-request-id: ${requestId}\r\n` +
        `cache-control: no-store\r\nx-content-type-options: nosniff\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
    );
  }
  socket.destroy();
}
