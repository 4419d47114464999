import type { IncomingMessage } from 'node:http';
import type { Held } from '../kernel/byte-budget.ts';
import { ServiceError } from '../kernel/errors.ts';
import { realTime } from '../kernel/real-time.ts';

/**
 * Bodies are never unpacked (contract §0.8). A gateway or client that compresses on its own gets this error, whatever the
 * endpoint does with the body. Throws `unsupported_media_type`.
 */
export function requireNoEncoding(encoding: string | undefined): void {
  const codings = encoding?.split(',').map((coding) => coding.trim().toLowerCase()) ?? [];
  if (codings.every((coding) => coding === '' || coding === 'identity')) return;
  throw new ServiceError('unsupported_media_type', 'The body must be sent without a content encoding');
}

export interface BodyLimits {
  readonly limitBytes: number;
  /** Milliseconds allowed without a byte. */
  readonly stallMs: number;
  /** Milliseconds allowed in total. */
  readonly bodyMs: number;
  readonly held: Held;
}

/**
 * Reads the whole body within the limits. Throws `payload_too_large` as soon as it is known to be too long,
 * `request_timeout` when it takes too long, and `overloaded` when the memory budget is used up. Discards the rest of a
 * refused body, so that the client can read the response. Most bodies arrive together with their heads; then the result
 * is returned without waiting.
 */
export function collectBody(request: IncomingMessage, limits: BodyLimits): Buffer | Promise<Buffer> {
  const { readableLength: bytes } = request;
  const isWhole = bytes > 0 && Number(request.headers['content-length']) === bytes;
  if (!isWhole || bytes > limits.limitBytes) return waitForBody(request, limits);
  limits.held.take(bytes);
  const body = request.read() as Buffer;
  // The `end` event is still to come.
  request.resume();
  return body;
}

function waitForBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { limitBytes } = limits;
    const chunks: Buffer[] = [];
    let bytes = 0;

    const stalls = realTime.setTimeout(giveUp, limits.stallMs);
    const ends = realTime.setTimeout(giveUp, limits.bodyMs);
    if (Number(request.headers['content-length']) > limitBytes) {
      refuse();
      return;
    }
    request.on('data', onData).on('end', onEnd).on('error', onError);

    function onData(chunk: Buffer): void {
      stalls.refresh();
      bytes += chunk.length;
      if (bytes > limitBytes) refuse();
      else hold(chunk);
    }

    function hold(chunk: Buffer): void {
      try {
        limits.held.take(chunk.length);
        chunks.push(chunk);
      } catch (tooMuch) {
        stopReading(tooMuch as Error);
      }
    }

    function onEnd(): void {
      leave();
      const [first] = chunks;
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks));
    }

    function onError(cause: Error): void {
      leave();
      reject(new ServiceError('invalid_request', 'The body was cut off', { cause }));
    }

    function giveUp(): void {
      stopReading(tooSlow());
    }

    function refuse(): void {
      stopReading(new ServiceError('payload_too_large', `The body is over the limit of ${limitBytes} bytes`));
    }

    function stopReading(why: Error): void {
      leave();
      request.resume();
      reject(why);
    }

    function leave(): void {
      realTime.clearTimeout(stalls);
      realTime.clearTimeout(ends);
      request.off('data', onData).off('end', onEnd).off('error', onError);
      // An error after the connection broke needs no handling.
      request.on('error', () => undefined);
    }
  });
}

/** The response closes the connection, since the rest of the body could arrive at any later time. */
export function tooSlow(): ServiceError {
  return new ServiceError('request_timeout', 'The body did not come in time', {
    headers: { connection: 'close' },
  });
}
