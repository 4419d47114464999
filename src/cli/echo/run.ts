/**
 * One run of `kyclone proxy echo`: it ends with a signal, when nobody reads what it prints any more, or when as many
 * requests as were wanted have their answers; in each case no socket and no file is left.
 *
 * The sink's certificates are in the folder that the user names, else in `echo-<pid>` in the state folder of the
 * instance. A process that is killed leaves its folder, with a private key in it: the next one removes it.
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
  /** Whether the report of a request holds its values too. */
  readonly showsContent: boolean;
  /** The name of the instance, where the user named one: for the command that sends something here. */
  readonly instance: string | undefined;
  /** How many requests there are to be; any number unless given. */
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
 * Takes away what processes that are gone left in the state folder: files of ours alone, and their folder when nothing
 * else is in it. Follows no link. What can't be taken away stays: it is in nobody's way.
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

/** None of a folder that isn't there, or is not ours to read. */
function entriesOf(directory: string) {
  return attempt(() => readdirSync(directory, { withFileTypes: true })) ?? [];
}

/** Signal 0 asks whether a process exists and sends nothing. Any other answer than that there is none leaves it be. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Another sink may be at the same leftovers: what is gone already is no failure. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
