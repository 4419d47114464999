/**
 * Connects to one of the checked addresses and to nothing else: no name is resolved here. The addresses are tried in
 * order. The next attempt starts as soon as one fails or has not connected for a while (RFC 8305), so that an
 * unreachable address family costs little. The first connection wins, the others are closed.
 */
import { connect, type Socket } from 'node:net';
import { canonicalAddress, classOf } from './address-policy.ts';
import { beforeDeadline } from './deadline.ts';
import { inWords } from './failures.ts';
import { OutboundFailure, type Destination } from './outbound.ts';
import { nameOf, portOf } from './target.ts';
import { realTime } from '../kernel/real-time.ts';

export interface OpenSocket {
  readonly socket: Socket;
  readonly address: string;
}

const NEXT_ADDRESS_AFTER_MS = 250;

/** Throws OutboundFailure `unreachable` or `timeout`, and then leaves no socket open. */
export async function openConnection(destination: Destination, signal: AbortSignal): Promise<OpenSocket> {
  const race = startRace(destination);
  try {
    return await beforeDeadline(race.first, {
      signal,
      what: `${nameOf(destination.url)} was not connected to`,
    });
  } catch (error) {
    race.end();
    throw error;
  }
}

interface Race {
  readonly first: Promise<OpenSocket>;
  /** Gives up: tries no further address and closes every socket. */
  end(): void;
}

function startRace({ url, addresses }: Destination): Race {
  const waiting = [...addresses];
  const sockets = new Set<Socket>();
  let failed = 0;
  let timer: NodeJS.Timeout | undefined;
  const end = (winner?: Socket): void => {
    realTime.clearTimeout(timer);
    waiting.length = 0;
    for (const socket of sockets) if (socket !== winner) socket.destroy();
  };
  const first = new Promise<OpenSocket>((resolve, reject) => {
    const tryNext = (): void => {
      realTime.clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) return;
      const socket = connect({ host: address, port: portOf(url), noDelay: true });
      sockets.add(socket);
      // Stays for the life of the socket: an unhandled error event would end the process.
      socket.on('error', (cause) => {
        failed++;
        if (failed === addresses.length) reject(unreachable(url, cause));
        else tryNext();
      });
      socket.once('connect', () => {
        end(socket);
        if (isPeer(socket, address)) resolve({ socket, address });
        else reject(strangePeer(url));
      });
      if (waiting.length > 0) timer = realTime.setTimeout(tryNext, NEXT_ADDRESS_AFTER_MS);
    };
    tryNext();
  });
  return { first, end };
}

function unreachable(url: URL, cause: unknown): OutboundFailure {
  const message = `${nameOf(url)} can't be reached: ${inWords(cause, 'no connection')}`;
  return new OutboundFailure('unreachable', message, { cause });
}

function strangePeer(url: URL): OutboundFailure {
  return new OutboundFailure('refused', `${nameOf(url)} was answered by an address that was not judged`);
}

/** Whether the system connected to the intended address. An unspecified address stands for a loopback one. */
function isPeer({ remoteAddress = '' }: Socket, address: string): boolean {
  if (classOf(address).kind === 'unspecified') return classOf(remoteAddress).kind === 'loopback';
  return canonicalAddress(remoteAddress) === canonicalAddress(address);
}
