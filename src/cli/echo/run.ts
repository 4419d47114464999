/**
 * One run of `kyclone proxy echo`. It ends with a signal, when its output has no reader any more, or when the wanted
 * number of requests have their responses. In each case no socket and no file is left.
 *
 * The sink's certificates are in the folder that the user names, or else in `echo-<pid>` in the state folder of the
 * instance. A killed process leaves its folder, with a private key in it; the next run removes it.
 */
import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  writeCertificates,
  type CertificateFolder,
  startEcho,
  type EchoOptions,
  FILE_NAMES,
} from './sink.ts';
import { listeningEvent, requestEvent, tlsFailureEvent, type EchoEvent } from './events.ts';
import { runServer } from './server.ts';

export interface EchoRun extends Pick<EchoOptions, 'mutualTls' | 'ports'> {
  readonly folder: CertificateFolder;
  /** Whether the report of a request includes its values. */
  readonly showsContent: boolean;
  /** The name of the instance, if the user named one. It is used in the command that sends something here. */
  readonly instance: string | undefined;
  /** Stop after this many requests; unlimited by default. */
  readonly stopAfter: number | undefined;
}

/** Returns the exit code. Throws UsageError for the folder, CliError `port_taken`. */
export function runEcho(
  { folder, showsContent, instance, stopAfter, ...options }: EchoRun,
  show: (event: EchoEvent) => void,
): Promise<number> {
  return runServer({
    stopAfter,
    show: (request, status) => show(requestEvent(request, status, showsContent)),
    start: (listeners) =>
      startEcho({ ...options, ...listeners, onTlsFailure: (reason) => show(tlsFailureEvent(reason)) }),
    async meanwhile(echo, exitCode) {
      const files = writeCertificates(echo, folder);
      try {
        show(listeningEvent({ ...echo, instance }, files));
        return await exitCode;
      } finally {
        files.remove();
      }
    },
  });
}

const NAME = /^echo-([1-9]\d{0,9})$/;

export function ownFolder(stateDirectory: string): string {
  return join(stateDirectory, `echo-${process.pid}`);
}

/**
 * Removes what ended processes left in the state folder: our files only, and their folder if nothing else is in it.
 * Follows no link. Something that can't be removed stays and does no harm.
 */
export function removeLeftovers(stateDirectory: string): void {
  for (const entry of entriesOf(stateDirectory)) {
    const [, pid] = NAME.exec(entry.name) ?? [];
    if (pid !== undefined && entry.isDirectory() && isGone(Number(pid))) {
      removeFiles(join(stateDirectory, entry.name));
    }
  }
}

function removeFiles(directory: string): void {
  for (const entry of entriesOf(directory)) {
    if (entry.isFile() && FILE_NAMES.includes(entry.name)) {
      attempt(() => unlinkSync(join(directory, entry.name)));
    }
  }
  attempt(() => rmdirSync(directory));
}

/** Empty for a folder that doesn't exist or can't be read. */
function entriesOf(directory: string) {
  return attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
}

/** Signal 0 only checks whether a process exists. Any error except "no such process" counts as existing. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Another sink may remove the same leftovers, so a missing file is not an error. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
