/**
 * One run of `kyclone proxy echo`: it ends with a signal, when nobody reads what it prints any more, or when as many
 * requests as were wanted have their answers; whichever it is, no socket and no file is left.
 */
import { constants } from 'node:os';
import { EXIT, SIGNAL_EXIT_BASE } from '../exit-codes.ts';
import { writeCertificates, type CertificateFolder } from './certificate-files.ts';
import { listeningEvent, requestEvent, tlsFailureEvent, type EchoEvent } from './events.ts';
import { startEcho, type EchoOptions } from './sink.ts';

export interface EchoRun extends Pick<EchoOptions, 'mutualTls' | 'ports'> {
  readonly folder: CertificateFolder;
  /** Whether what is told of a request holds its values too. */
  readonly showsContent: boolean;
  /** The name of the instance, where the user named one: for the command that sends something here. */
  readonly instance: string | undefined;
  /** How many requests there are to be; any number unless given. */
  readonly stopAfter: number | undefined;
}

/** Answers the exit code. Throws UsageError for the folder, CliError `port_taken`. */
export async function runEcho(
  { folder, showsContent, instance, stopAfter = Infinity, ...options }: EchoRun,
  tell: (event: EchoEvent) => void,
): Promise<number> {
  const ending = whenToEnd();
  let answered = 0;
  try {
    const echo = await startEcho({
      ...options,
      onRequest: (request, status) => {
        if (request.number <= stopAfter) tell(requestEvent(request, status, showsContent));
      },
      onAnswered: ({ number }) => {
        if (number <= stopAfter && ++answered === stopAfter) ending.end(EXIT.ok);
      },
      onTlsFailure: (reason) => tell(tlsFailureEvent(reason)),
    });
    try {
      const files = writeCertificates(echo, folder);
      try {
        tell(listeningEvent({ ...echo, instance }, files));
        return await ending.exitCode;
      } finally {
        files.remove();
      }
    } finally {
      await echo.close();
    }
  } finally {
    ending.release();
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function whenToEnd() {
  const { promise: exitCode, resolve: end } = deferred<number>();
  const bySignal = (signal: NodeJS.Signals) => end(SIGNAL_EXIT_BASE + constants.signals[signal]);
  // A reader that is gone: what SIGPIPE does to programs that don't look after it themselves.
  const byPipe = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') bySignal('SIGPIPE');
  };
  for (const signal of SIGNALS) process.on(signal, bySignal);
  process.stdout.on('error', byPipe);
  const release = () => {
    for (const signal of SIGNALS) process.off(signal, bySignal);
    process.stdout.off('error', byPipe);
  };
  return { exitCode, end, release };
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => (resolve = settle));
  return { promise, resolve };
}
