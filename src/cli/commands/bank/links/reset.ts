import { linkArg } from '../../../bank/flags.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { liveFlag } from '../../../shell/flags.ts';
import { reconnectNote, resetView } from '../../../bank/view.ts';

export default class BankLinksReset extends BaseCommand {
  static override summary = 'Disconnect a bank link, like a bank that requires a new sign-in';
  static override description =
    'Its state becomes error, auth_expired. What it brought stays readable; nothing is refreshed or imported until it is ' +
    'connected again: bank link --link.';
  static override examples = [
    '<%= config.bin %> bank links reset link_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> bank links reset link_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override args = linkArg;
  static override flags = liveFlag;

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(BankLinksReset);
    const params = { link_id: args.link };
    const answer = await this.client.call('POST /bank_links/{link_id}/reset', { params });
    this.present(answer, resetView);
    this.note(reconnectNote(args.link, flags.live));
    return answer;
  }
}
