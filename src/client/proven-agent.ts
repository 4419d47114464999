/**
 * Connections that are proven before first use. On each new connection, the client asks the server to prove that it
 * holds the shared secret (contract/identity-proof.ts), and only then sends requests. So no credential and no data
 * ever reach a program that took over a daemon's port. The proof needs no connection of its own.
 *
 * This file writes and parses the exchange itself, because `node:http` does not give a connection back. It limits
 * what it reads, and accepts nothing but the exact response of a daemon as proof.
 */
import { randomBytes } from 'node:crypto';
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { apiKeyName, isProof, type IdentityClaim, type SharedSecret } from '../contract/identity-proof.ts';
import { UnprovenError, unreachable } from './errors.ts';
import { realTime } from '../kernel/time/real-time.ts';

/** The identity that the server has proven. */
export type Proven = Pick<IdentityClaim, 'pid' | 'instance'>;

export interface Expected {
  /** Host and port, as in the Host header of the requests. */
  readonly authority: string;
  readonly secret: SharedSecret;
}

/** Options of a request that goes through a ProvenAgent. */
export interface ProvenOptions extends ClientRequestArgs {
  /** Longest wait for the connection and the proof. */
  readonly proofTimeoutMs?: number | undefined;
  /** Cancels the wait. `node:http` does not pass the request's own signal on. */
  readonly proofSignal?: AbortSignal | undefined;
}

type Done = (error: Error | null, stream: Duplex) => void;

const CHALLENGE_BYTES = 32;
const HEAD_END = '\r\n\r\n';
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 4 * 1024;
const DEFAULT_TIMEOUT_MS = 120_000;
/** The code of the cause of an UnreachableError. */
export const TIMED_OUT = 'timed out';

export class ProvenAgent extends Agent {
  readonly #expected: Expected;
  /** A proven connection that waits for the first request. */
  #prepared: Socket | undefined;

  constructor(expected: Expected, options: AgentOptions) {
    super(options);
    this.#expected = expected;
  }

  /**
   * Opens a connection, keeps it for the next request, and returns the identity of the server. The connection doesn't
   * keep the process alive. Throws UnprovenError or UnreachableError.
   */
  async prepare(options: ProvenOptions): Promise<Proven> {
    const { socket, proven } = await this.#connect(options);
    this.#prepared?.destroy();
    this.#prepared = socket.unref();
    return proven;
  }

  override createConnection(options: ProvenOptions, done?: Done): undefined {
    const prepared = this.#prepared;
    this.#prepared = undefined;
    if (prepared?.readyState === 'open') {
      void Promise.resolve().then(() => done?.(null, prepared.ref()));
      return;
    }
    this.#connect(options).then(
      ({ socket }) => done?.(null, socket),
      // The callback gets no stream along with an error, whatever its type says.
      (error: unknown) => (done as ((error: unknown) => void) | undefined)?.(error),
    );
  }

  async #connect(options: ProvenOptions): Promise<{ socket: Socket; proven: Proven }> {
    const { host, port, proofTimeoutMs = DEFAULT_TIMEOUT_MS, proofSignal } = options;
    const socket = createConnection({ host: host ?? 'localhost', port: Number(port), noDelay: true });
    const giveUp = () => void socket.destroy();
    proofSignal?.addEventListener('abort', giveUp);
    try {
      return { socket, proven: await prove(socket, this.#expected, proofTimeoutMs) };
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      proofSignal?.removeEventListener('abort', giveUp);
    }
  }
}

/** Throws UnprovenError or UnreachableError. Afterwards the socket is in its initial state again. */
async function prove(socket: Socket, { authority, secret }: Expected, timeoutMs: number): Promise<Proven> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const key = secret.kind === 'api_key' ? `&key=${apiKeyName(secret.digest)}` : '';
  socket.write(
    `GET /_kyclone/health?challenge=${challenge}${key} HTTP/1.1\r\nhost: ${authority}\r\naccept: application/json${HEAD_END}`,
  );
  const health = await readAnswer(socket, { authority, timeoutMs });
  const { pid, instance, proof } = health;
  if (typeof pid !== 'number' || typeof instance !== 'string') throw new UnprovenError(authority, false);
  if (!isProof(proof, secret, { challenge, pid, instance, authority }))
    throw new UnprovenError(authority, true);
  return { pid, instance };
}

function readAnswer(
  socket: Socket,
  { authority, timeoutMs }: { authority: string; timeoutMs: number },
): Promise<Record<string, unknown>> {
  let received = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      realTime.clearTimeout(timer);
      socket.off('data', take).off('error', fail).off('close', fail);
      outcome();
    };
    const fail = (error?: unknown) => settle(() => reject(unreachable(`http://${authority}`, error)));
    const take = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      try {
        const health = parseAnswer(received);
        if (health !== undefined) settle(() => resolve(health));
      } catch {
        settle(() => reject(new UnprovenError(authority, false)));
      }
    };
    const timer = realTime.setTimeout(() => fail({ code: TIMED_OUT }), timeoutMs);
    socket.on('data', take).once('error', fail).once('close', fail);
  });
}

/**
 * The members of a complete response; undefined while more data is expected. Throws when the response can't come from
 * a daemon.
 */
function parseAnswer(received: Buffer): Record<string, unknown> | undefined {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) {
    if (received.length > MAX_HEAD_BYTES) throw new Error('a head without an end');
    return undefined;
  }
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  if (!/^HTTP\/1\.1 200(?: |$)/.test(statusLine)) throw new Error('a failure');
  const length = headerOf(lines, 'content-length');
  if (length === undefined || !/^\d{1,4}$/.test(length) || Number(length) > MAX_BODY_BYTES)
    throw new Error('a body of no known length');
  const body = received.subarray(headEnd + HEAD_END.length);
  if (body.length > Number(length)) throw new Error('more than an answer');
  if (body.length < Number(length)) return undefined;
  const health: unknown = JSON.parse(body.toString('utf8'));
  if (typeof health !== 'object' || health === null) throw new Error('no object');
  return health as Record<string, unknown>;
}

function headerOf(lines: readonly string[], name: string): string | undefined {
  const line = lines.find((each) => each.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
