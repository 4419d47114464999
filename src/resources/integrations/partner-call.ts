/**
 * The call to a partner (contract §8.2): one request, within one deadline, under the egress policy. Errors don't name
 * the host: if a caller mixes up the members of a call, no secret may appear in a message.
 */
import { ServiceError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { KIB, SECOND_MS } from '../../kernel/units.ts';
import { OutboundFailure, type Destination, type Outbound } from '../../outbound/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import type { CipForward } from './cip-forward.ts';
import { partnerAnswer } from './partner-answer.ts';
import type { PartnerRequest } from './partner-request.ts';
import { realTime } from '../../kernel/real-time.ts';

export interface PartnerCalls {
  /**
   * Checks the target, `prepare`s the request, and sends it. Throws `invalid_request` when the egress policy refuses
   * the host, `partner_unreachable` without a response, and errors of `prepare`.
   */
  call(
    request: PartnerRequest,
    clientGone: AbortSignal,
    prepare: () => Promise<CipForward>,
  ): Promise<{ status: number; body: Record<string, JsonValue> }>;
}

const TIMEOUT_MS = 30 * SECOND_MS;
const ANSWER_LIMIT_BYTES = 256 * KIB;

export function createPartnerCalls(context: {
  outbound: Outbound;
  settings: LiveSettings;
  timeoutMs?: number | undefined;
}): PartnerCalls {
  const { outbound, settings, timeoutMs = TIMEOUT_MS } = context;

  function send(
    destination: Destination,
    { authorization, body, signal }: { authorization: string; body: CipForward; signal: AbortSignal },
  ) {
    const outgoing = {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization },
      body: Buffer.from(JSON.stringify(body), 'utf8'),
      tls: { pins: [], extraRoots: settings.current.egress.extra_roots },
    };
    return outbound.send(destination, outgoing, { signal, maxBodyBytes: ANSWER_LIMIT_BYTES });
  }

  return {
    async call({ url, authorization }, clientGone, prepare) {
      const deadline = beginDeadline(timeoutMs, clientGone);
      try {
        const { signal } = deadline;
        const { policy } = settings.current.egress;
        const destination = await attempted(outbound.admit(url, policy, signal), url);
        const body = await prepare();
        const answer = await attempted(send(destination, { authorization, body, signal }), url);
        return { status: answer.status, body: partnerAnswer(answer.body) };
      } finally {
        deadline.end();
      }
    },
  };
}

/** Aborts after `timeoutMs`, or when the client disconnects. A timer of our own, as in the vault proxy. */
function beginDeadline(timeoutMs: number, clientGone: AbortSignal): { signal: AbortSignal; end(): void } {
  const deadline = new AbortController();
  const abort = () => deadline.abort();
  const timer = realTime.setTimeout(abort, timeoutMs);
  if (clientGone.aborted) abort();
  clientGone.addEventListener('abort', abort);
  return {
    signal: deadline.signal,
    end() {
      realTime.clearTimeout(timer);
      clientGone.removeEventListener('abort', abort);
    },
  };
}

async function attempted<T>(step: Promise<T>, url: URL): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    const isRefused = error.kind === 'refused';
    const why = withoutHost(error.message, url) ?? WORDS[error.kind];
    throw new ServiceError(
      isRefused ? 'invalid_request' : 'partner_unreachable',
      isRefused ? `hostname: ${why}` : `No answer of the partner: ${why}`,
    );
  }
}

const WORDS = {
  refused: 'the egress policy refuses it',
  unreachable: 'it cannot be reached',
  timeout: 'it took too long',
  too_large: 'it is too large',
} as const;

/** Undefined when the message still contains the host, or may contain it. */
function withoutHost(message: string, { hostname, host, port, protocol }: URL): string | undefined {
  const withPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const bare = hostname.replace(/^\[|\]$/g, '');
  let shown = message;
  for (const name of [withPort, host, hostname, bare]) {
    if (shown.startsWith(`${name} `)) shown = `the host${shown.slice(name.length)}`;
  }
  shown = shown.replaceAll(withPort, 'the host');
  return shown.toLowerCase().includes(bare.toLowerCase()) ? undefined : shown;
}
