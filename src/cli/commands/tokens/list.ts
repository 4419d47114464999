import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, liveFlag } from '../../shell/flags.ts';
import { tokenListView } from '../../tokens/client-tokens.ts';
import type { Inspection } from '../../vault/view.ts';

export default class TokensList extends BaseCommand<Inspection['tokens']> {
  static override summary = 'List the client tokens of a user or business, without the tokens themselves';
  static override examples = [
    '<%= config.bin %> tokens list fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> tokens list fp_id_7p793EF07xKXHqAeg5VGPj --output id',
  ];
  static override args = entityArg;
  static override flags = liveFlag;

  async run(): Promise<Inspection['tokens']> {
    const { args, flags } = await this.parse(TokensList);
    const { tokens } = await this.client.call('GET /_kyclone/entities/{fp_id}', {
      params: { fp_id: args.fp_id },
      query: flags.live ? { environment: 'live' } : {},
    });
    return this.present(tokens, tokenListView);
  }
}
