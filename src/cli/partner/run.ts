/** One run of `kyclone partner echo`: a partner on 127.0.0.1, and what is told of it. */
import { createServer } from 'node:http';
import { systemClock } from '../../kernel/clock.ts';
import { bind, closable, HOST, serving, type Listeners } from '../echo/loopback-server.ts';
import { runServer } from '../echo/run-server.ts';
import { partnerAnswerTo } from './answers.ts';
import { listeningEvent, requestEvent, type PartnerEvent } from './events.ts';

export interface PartnerRun {
  /** A free one unless given. */
  readonly port: number | undefined;
  /** Whether what is told of a request holds its body too. */
  readonly showsBodies: boolean;
  /** The name of the instance, where the user named one: for the command that sends something here. */
  readonly instance: string | undefined;
  /** How many requests there are to be; any number unless given. */
  readonly stopAfter: number | undefined;
}

export interface Partner {
  /** `127.0.0.1:<port>`, as the call that forwards to it wants it. */
  readonly hostname: string;
  /** Ends it, with whatever is still being answered. */
  close(): Promise<void>;
}

/** Throws CliError `port_taken`. */
export async function startPartner(port: number | undefined, listeners: Listeners): Promise<Partner> {
  const server = createServer(serving((request) => partnerAnswerTo(request, systemClock.now()), listeners));
  const listening = closable(server);
  const hostname = `${HOST}:${await bind(server, { port, flag: '--port' })}`;
  return { hostname, close: () => listening.close() };
}

/** Answers the exit code. Throws CliError `port_taken`. */
export function runPartner(
  { port, showsBodies, instance, stopAfter }: PartnerRun,
  tell: (event: PartnerEvent) => void,
): Promise<number> {
  return runServer({
    stopAfter,
    tell: (request, status) => tell(requestEvent(request, status, showsBodies)),
    start: (listeners) => startPartner(port, listeners),
    meanwhile({ hostname }, exitCode) {
      tell(listeningEvent(hostname, instance));
      return exitCode;
    },
  });
}
