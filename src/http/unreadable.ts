import type { Duplex } from 'node:stream';
import { ServiceError } from '../kernel/errors.ts';
import { rawAnswer } from './raw-answer.ts';

/** Responds to input that Node could not parse: over the header limit, too slow, or not HTTP. */
export function answerUnreadable(error: Error & { code?: string }, socket: Duplex, requestId: string): void {
  // Browsers open connections in advance: one that never sent anything gets no response.
  if (socket.writable && hasAsked(socket)) socket.write(rawAnswer(refusalOf(error), requestId));
  socket.destroy();
}

function hasAsked(socket: Duplex): boolean {
  return 'bytesRead' in socket && Number(socket.bytesRead) > 0;
}

function refusalOf({ code }: { code?: string }): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError('headers_too_large', 'The request head is over 64 KiB');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'The request head did not come in time');
  }
  return new ServiceError('invalid_request', 'The request is not valid HTTP');
}
