/**
 * One run of `kyclone proxy echo`. It ends with a signal, when its output has no reader any more, or when the wanted
 * number of requests have their responses. In each case no socket and no file is left.
 *
 * The sink's certificates are in the folder that the user names, or else in `echo-<pid>` in the state folder of the
 * instance. A killed process leaves its folder, with a private key in it; the next run removes it.
 */
import { attempt } from '../../../kernel/attempt.ts';
import { boolean, string } from '@oclif/core/flags';
import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runServer } from '../../../cli/echo/server.ts';
import { FILE_NAMES, startEcho, writeCertificates } from '../../../cli/echo/sink.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { SPECIAL_PATHS } from '../../../cli/echo/answers.ts';
import { parsed, UsageError } from '../../../cli/shell/failure.ts';
import { portFlag, stopAfterFlag } from '../../../cli/shell/flags.ts';
import {
  echoView,
  listeningEvent,
  requestEvent,
  tlsFailureEvent,
  type EchoEvent,
} from '../../../cli/echo/events.ts';

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

class ProxyEcho extends BaseCommand {
  static override isStream = true;
  static override summary =
    'Run a server on 127.0.0.1 that returns each request it gets, over HTTP and HTTPS';
  static override description = [
    'To try the vault proxy without a third party; no daemon is needed. The certificates are created for this run and ' +
      'removed when it ends. --json prints one line for each event, of type listening, request or tls_failure.',
    `Some paths do more than answer what they got:\n${SPECIAL_PATHS.map(([path, help]) => `${path}: ${help}`).join('\n')}`,
  ].join('\n\n');
  static override examples = [
    '',
    '--mutual-tls --port 4640 --tls-port 4643',
    'In a script, for one request:\n--json --stop-after 1 --out certificates',
  ];
  static override flags = {
    port: portFlag('port for HTTP, default: a free one'),
    'tls-port': portFlag('port for HTTPS, default: a free one'),
    'mutual-tls': boolean({ summary: 'refuse HTTPS without the generated client certificate' }),
    out: string({
      summary:
        "folder for the certificates; only they are removed at the end (default: a folder in the instance's state folder)",
      helpValue: 'FOLDER',
      parse: (text) => parsed(text || undefined, '--out is empty; name a folder'),
    }),
    'show-bodies': boolean({
      summary: 'print queries, headers and bodies too: they contain values from the vault',
    }),
    ...stopAfterFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ProxyEcho);
    const ports = { http: flags.port, https: flags['tls-port'] };
    if (ports.http !== undefined && ports.http !== 0 && ports.http === ports.https) {
      throw new UsageError('--port and --tls-port are the same; each server has its own');
    }
    const { stateDirectory } = (await this.named).paths;
    removeLeftovers(stateDirectory);
    const show = (event: EchoEvent) => this.presentEntry(event, echoView);
    const exitCode = await runServer({
      stopAfter: flags['stop-after'],
      show: (request, status) => show(requestEvent(request, status, flags['show-bodies'])),
      start: (listeners) => {
        const onTlsFailure = (reason: string) => show(tlsFailureEvent(reason));
        return startEcho({ mutualTls: flags['mutual-tls'], ports, ...listeners, onTlsFailure });
      },
      async meanwhile(echo, ending) {
        const folder = { path: flags.out ?? ownFolder(stateDirectory), isOurs: flags.out === undefined };
        const files = writeCertificates(echo, folder);
        try {
          show(listeningEvent({ ...echo, instance: flags.instance }, files));
          return await ending;
        } finally {
          files.remove();
        }
      },
    });
    this.endWith(exitCode);
  }
}

export default { 'proxy:echo': ProxyEcho };
