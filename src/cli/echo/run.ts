/**
 * One run of `kyclone proxy echo`: it ends with a signal, when nobody reads what it prints any more, or when as many
 * requests as were wanted have their answers; whichever it is, no socket and no file is left.
 */
import { writeCertificates, type CertificateFolder } from './certificate-files.ts';
import { listeningEvent, requestEvent, tlsFailureEvent, type EchoEvent } from './events.ts';
import { runServer } from './run-server.ts';
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
export function runEcho(
  { folder, showsContent, instance, stopAfter, ...options }: EchoRun,
  tell: (event: EchoEvent) => void,
): Promise<number> {
  return runServer({
    stopAfter,
    tell: (request, status) => tell(requestEvent(request, status, showsContent)),
    start: (listeners) =>
      startEcho({ ...options, ...listeners, onTlsFailure: (reason) => tell(tlsFailureEvent(reason)) }),
    async meanwhile(echo, exitCode) {
      const files = writeCertificates(echo, folder);
      try {
        tell(listeningEvent({ ...echo, instance }, files));
        return await exitCode;
      } finally {
        files.remove();
      }
    },
  });
}
