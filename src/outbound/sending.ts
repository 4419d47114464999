/** Sends one request to an admitted destination and reads the response (contract §3.3). */
import type { Socket } from 'node:net';
import { readAnswerBody } from './answer-body.ts';
import { handedOn } from './answer-headers.ts';
import { openConnection } from './connecting.ts';
import { beforeDeadline, timedOut } from './deadline.ts';
import { exchangeHeads } from './exchange.ts';
import { withNotes } from './failures.ts';
import { tlsHandshake } from './tls-handshake.ts';
import {
  OutboundFailure,
  type ConnectionNotes,
  type Destination,
  type OutboundContext,
  type OutboundLimits,
  type OutgoingRequest,
  type TargetAnswer,
} from './outbound.ts';
import { requestHead } from './request-head.ts';
import { startStopwatch } from './stopwatch.ts';
import { nameOf } from './target.ts';
import { secureContexts } from './trust.ts';

export type Send = (
  destination: Destination,
  request: OutgoingRequest,
  limits: OutboundLimits,
) => Promise<TargetAnswer>;

/** `realNow`: epoch milliseconds, for the dates of pinned certificates. */
export function createSender({ realNow }: Pick<OutboundContext, 'realNow'>): Send {
  const contextFor = secureContexts();
  return async (destination, request, { signal, maxBodyBytes }) => {
    const elapsed = startStopwatch();
    const { url } = destination;
    const isSecure = url.protocol === 'https:';
    let socket: Socket | undefined;
    let connection: ConnectionNotes | undefined;
    let status: number | undefined;
    let headers: TargetAnswer['headers'] | undefined;
    try {
      const head = requestHead(url, request);
      const context = isSecure ? contextFor(request.tls) : undefined;
      if (signal.aborted) throw timedOut(`${nameOf(url)} was not connected to`);
      const open = await openConnection(destination, signal);
      const { address } = open;
      socket = open.socket;
      connection = { address, msConnect: elapsed() };
      if (context) {
        const options = { url, choices: request.tls, context, now: realNow(), signal };
        const handshake = await tlsHandshake(socket, options);
        socket = handshake.socket;
        connection = { address, msConnect: elapsed(), tls: handshake.notes };
        if (handshake.refusal !== undefined) throw new OutboundFailure('unreachable', handshake.refusal);
      }
      const circumstances = {
        target: nameOf(url),
        isSecure,
        showsCertificate: isSecure && request.tls.client !== undefined,
      };
      const answer = await beforeDeadline(exchangeHeads(socket, head, circumstances), {
        signal,
        what: `${nameOf(url)} did not answer`,
      });
      status = answer.statusCode ?? 0;
      headers = handedOn(answer);
      const { bytes, codings, remarks } = await beforeDeadline(
        readAnswerBody(answer, { method: head.method, maxBytes: maxBodyBytes }),
        {
          signal,
          what: `${nameOf(url)} did not finish its answer`,
        },
      );
      return {
        status,
        headers: codings.length === 0 ? headers : { ...headers, 'content-encoding': codings.join(', ') },
        body: bytes,
        remarks,
        connection,
        msTotal: elapsed(),
      };
    } catch (error) {
      throw withNotes(error, { connection, status, headers, msTotal: elapsed() });
    } finally {
      // Destroy the TLS socket, which closes the one below. In the other order Node 20 writes to freed memory.
      socket?.destroy();
    }
  };
}
