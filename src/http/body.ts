import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../kernel/errors.ts';

type Done = (error: Error | null, body?: Buffer) => void;

/**
 * The whole body, when it is within the limit; `payload_too_large` as soon as it is known to be over it. What is sent
 * beyond is thrown away, so that the client can read the answer.
 */
export function collectBody(request: IncomingMessage, limitBytes: number, done: Done): void {
  const chunks: Buffer[] = [];
  let bytes = 0;

  if (Number(request.headers['content-length']) > limitBytes) {
    refuse();
    return;
  }
  request.on('data', onData).on('end', onEnd).on('error', onError);

  function onData(chunk: Buffer): void {
    bytes += chunk.length;
    if (bytes > limitBytes) refuse();
    else chunks.push(chunk);
  }

  function onEnd(): void {
    leave();
    const [first] = chunks;
    done(null, chunks.length === 1 ? first : Buffer.concat(chunks));
  }

  function onError(cause: Error): void {
    leave();
    done(new ServiceError('invalid_request', 'The body was cut off', { cause }));
  }

  function refuse(): void {
    leave();
    request.resume();
    done(new ServiceError('payload_too_large', `The body is over the limit of ${limitBytes} bytes`));
  }

  function leave(): void {
    request.off('data', onData).off('end', onEnd).off('error', onError);
    // A connection that breaks now breaks for nobody.
    request.on('error', () => undefined);
  }
}
