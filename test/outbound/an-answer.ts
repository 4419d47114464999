/** Calls to a server that answers with given bytes. */
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { startRawTarget, type RawScript } from '../support/targets.ts';
import { call, failureOf, type Call } from './an-outbound.ts';

export const LIMIT = 1000;

interface Ask extends Omit<Call, 'url'> {
  readonly script?: RawScript;
}

/** Returns the result of one call to a server that answers with these bytes. */
export async function answered(answer: RawScript['answer'], { script, ...request }: Ask = {}) {
  await using target = await startRawTarget({ ...(answer !== undefined && { answer }), ...script });
  return await call({ url: target.url, limits: { maxBodyBytes: LIMIT }, ...request });
}

/** Returns the failure of one such call. `status` is set if a head arrived. */
export async function refused(answer: RawScript['answer'], ask: Ask = {}) {
  const { kind, message, connection, status, cause } = await failureOf(answered(answer, ask));
  expect(connection).toMatchObject({ address: '127.0.0.1' });
  expect(inspect(cause, { depth: null })).not.toContain('Buffer');
  return {
    kind,
    message: message.replace(/127\.0\.0\.1:\d+/, 'TARGET'),
    ...(status !== undefined && { status }),
  };
}

export function withLength(body: Buffer | string, headers = ''): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`),
    bytes,
  ]);
}

export const cutOff = { status: 200, kind: 'unreachable', message: 'The answer was cut off' };
export const tooLarge = {
  status: 200,
  kind: 'too_large',
  message: `The answer is larger than ${LIMIT} bytes`,
};
export const tooLargeUnpacked = {
  status: 200,
  kind: 'too_large',
  message: `The answer is larger than ${LIMIT} bytes when it is unpacked`,
};
