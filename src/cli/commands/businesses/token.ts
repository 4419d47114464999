import { option } from '@oclif/core/flags';
import { BUSINESS_TOKEN_SCOPES } from '../../../contract/facts/client-tokens.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import {
  TOKEN_SCOPE_HELP,
  tokenBody,
  tokenFlags,
  newTokenView,
  tokenNote,
  type NewToken,
} from '../../tokens/client-tokens.ts';
import { businessArg } from '../../shell/flags.ts';

export default class BusinessesToken extends BaseCommand<NewToken> {
  static override summary =
    'Make a short-lived token for some of a business’s identifiers; it is shown only once';
  static override examples = [
    '<%= config.bin %> businesses token fp_bid_7p793EF07xKXHqAeg5VGPj --scope vault --field business.name --field business.tin',
    'TOKEN=$(<%= config.bin %> businesses token fp_bid_7p793EF07xKXHqAeg5VGPj --scope decrypt ' +
      '--field business.tin --ttl 5m --reason "support case 4711")',
  ];
  static override args = businessArg;
  static override flags = {
    scope: option({ summary: TOKEN_SCOPE_HELP, options: BUSINESS_TOKEN_SCOPES, required: true })(),
    ...tokenFlags,
  };

  async run(): Promise<NewToken> {
    const { args, flags } = await this.parse(BusinessesToken);
    const params = { fp_bid: args.fp_bid };
    const body = tokenBody(flags);
    const token = await this.client.call('POST /businesses/{fp_bid}/client_token', { params, body });
    this.note(tokenNote(token));
    return this.present(token, newTokenView);
  }
}
