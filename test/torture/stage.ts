/** Sends the samples of every endpoint (test/support/samples.ts) to a daemon over its socket. */
import { request as open, type Agent } from 'node:http';
import type { Kycloned } from '../support/kycloned.ts';
import { setStage, type Stage } from '../support/samples.ts';
import {
  callsThrough,
  contentType,
  credential,
  HOST,
  LIVE_KEY,
  readReply,
  SANDBOX_KEY,
  type RawRequest,
  type Reply,
  type TestService,
} from '../support/service.ts';

/** No response takes this long on any machine; without one the daemon hangs. */
const HANG_MS = 120_000;

export type Send = (request: RawRequest) => Promise<Reply>;

/**
 * Returns a function that sends to this daemon, with its own keys unless others are given. It reads only the head of a
 * stream.
 */
export function sendTo(daemon: Kycloned, agent: Agent): Send {
  const own = { controlToken: daemon.locator.control_token, key: daemon.keys.sandbox };
  // Some samples name the keys and the address of the in-process service of the tests.
  const keyOf = (as: string | null | undefined) =>
    as === SANDBOX_KEY ? daemon.keys.sandbox : as === LIVE_KEY ? daemon.keys.live : as;
  return ({ method, path, headers = {}, body, as }) =>
    new Promise((resolve, reject) => {
      const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
      const payload = body === undefined || isRaw ? body : JSON.stringify(body);
      const outgoing = open(
        `${daemon.url}${path}`,
        {
          method,
          agent,
          headers: {
            ...credential(path, keyOf(as), own),
            ...contentType(body),
            ...(payload !== undefined && { 'content-length': String(Buffer.byteLength(payload)) }),
            ...headers,
            ...(headers['origin'] === `http://${HOST}` ? { origin: daemon.url } : {}),
          },
          timeout: HANG_MS,
        },
        (incoming) => {
          const { statusCode = 0, headers } = incoming;
          const chunks: Buffer[] = [];
          const finish = () => resolve(readReply(statusCode, headers, Buffer.concat(chunks)));
          if (headers['content-type']?.startsWith('text/event-stream')) {
            incoming.destroy();
            finish();
            return;
          }
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
          incoming.once('error', reject);
          incoming.once('end', finish);
        },
      );
      outgoing.once('timeout', () => outgoing.destroy(new Error(`no answer: ${method} ${path}`)));
      outgoing.once('error', reject);
      outgoing.end(payload);
    });
}

/** Makes what the samples need before their requests. Samples only make calls; they don't access the process. */
export function stageOf(send: Send): Promise<Stage> {
  return setStage({ send, ...callsThrough(send) } as unknown as TestService);
}
