import { boolean, string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { SPECIAL_PATHS } from '../../echo/answers.ts';
import { ownFolder, removeLeftovers, runEcho } from '../../echo/run.ts';
import { UsageError } from '../../shell/failure.ts';
import { integerFlag } from '../../shell/flags.ts';
import { echoView } from '../../echo/events.ts';

const portFlag = (scheme: string) =>
  integerFlag({
    summary: `port for ${scheme}, default: a free one`,
    min: 0,
    max: 65_535,
    helpValue: 'PORT',
  });

export default class ProxyEcho extends BaseCommand {
  static override isStream = true;
  static override summary =
    'Run a server on 127.0.0.1 that returns each request it gets, over HTTP and HTTPS';
  static override description = [
    'To try the vault proxy without a third party; no daemon is needed. The certificates are created for this run and ' +
      'removed when it ends. --json prints one line for each event, of type listening, request or tls_failure.',
    `Some paths do more than answer what they got:\n${SPECIAL_PATHS.map(([path, help]) => `${path}: ${help}`).join('\n')}`,
  ].join('\n\n');
  static override examples = [
    '<%= config.bin %> proxy echo',
    '<%= config.bin %> proxy echo --mutual-tls --port 4640 --tls-port 4643',
    'In a script, for one request:\n<%= config.bin %> proxy echo --json --stop-after 1 --out certificates',
  ];
  static override flags = {
    port: portFlag('HTTP'),
    'tls-port': portFlag('HTTPS'),
    'mutual-tls': boolean({ summary: 'refuse HTTPS without the generated client certificate' }),
    out: string({
      summary:
        "folder for the certificates; only they are removed at the end (default: a folder in the instance's state folder)",
      helpValue: 'FOLDER',
      parse: (text) =>
        text === '' ? Promise.reject(new UsageError('--out is empty; name a folder')) : Promise.resolve(text),
    }),
    'show-bodies': boolean({
      summary: 'print queries, headers and bodies too: they contain values from the vault',
    }),
    'stop-after': integerFlag({ summary: 'end after this many requests', min: 1, helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ProxyEcho);
    const ports = { http: flags.port, https: flags['tls-port'] };
    if (ports.http !== undefined && ports.http !== 0 && ports.http === ports.https) {
      throw new UsageError('--port and --tls-port are the same; each server has its own');
    }
    const { stateDirectory } = (await this.named).paths;
    removeLeftovers(stateDirectory);
    const exitCode = await runEcho(
      {
        mutualTls: flags['mutual-tls'],
        ports,
        folder: { path: flags.out ?? ownFolder(stateDirectory), isOurs: flags.out === undefined },
        showsContent: flags['show-bodies'],
        instance: flags.instance,
        stopAfter: flags['stop-after'],
      },
      (event) => this.presentEntry(event, echoView),
    );
    this.endWith(exitCode);
  }
}
