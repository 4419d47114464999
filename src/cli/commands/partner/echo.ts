import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { integerFlag } from '../../shell/flags.ts';
import { runPartner, partnerEventView } from '../../partner/echo.ts';

export default class PartnerEcho extends BaseCommand {
  static override isStream = true;
  static override summary =
    'Run a partner on 127.0.0.1 that accepts CIP information and responds like the built-in one';
  static override description =
    'For kyclone users cip, whose --hostname it prints; no daemon is needed to run it. It answers POST ' +
    '/v1/accounts/<account id>/cip: 422 for an account id that starts with reject, 401 for an API key that starts ' +
    'with bad, else 200. Each request is shown on one line, without its values. --json prints a line for each event, of ' +
    'type listening or request.';
  static override examples = [
    '<%= config.bin %> partner echo',
    '<%= config.bin %> partner echo --port 4650 --show-bodies',
    'In a script, for one request:\n<%= config.bin %> partner echo --json --stop-after 1',
  ];
  static override flags = {
    port: integerFlag({
      summary: 'port to listen on (default: a free one)',
      min: 0,
      max: 65_535,
      helpValue: 'PORT',
    }),
    'show-bodies': boolean({ summary: 'print bodies too: they contain values from the vault' }),
    'stop-after': integerFlag({ summary: 'end after this many requests', min: 1, helpValue: 'N' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(PartnerEcho);
    const exitCode = await runPartner(
      {
        port: flags.port,
        showsBodies: flags['show-bodies'],
        instance: flags.instance,
        stopAfter: flags['stop-after'],
      },
      (event) => this.presentEntry(event, partnerEventView),
    );
    this.endWith(exitCode);
  }
}
