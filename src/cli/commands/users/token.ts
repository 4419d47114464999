import { option } from '@oclif/core/flags';
import { TOKEN_SCOPES } from '../../../contract/facts/client-tokens.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import {
  TOKEN_SCOPE_HELP,
  tokenBody,
  tokenFlags,
  newTokenView,
  tokenNote,
  type NewToken,
} from '../../tokens/client-tokens.ts';
import { userArg } from '../../shell/flags.ts';

export default class UsersToken extends BaseCommand<NewToken> {
  static override summary =
    'Make a short-lived token for some of a user’s identifiers; it is shown only once';
  static override examples = [
    '<%= config.bin %> users token fp_id_7p793EF07xKXHqAeg5VGPj --scope vault --field id.first_name --field id.ssn9',
    'TOKEN=$(<%= config.bin %> users token fp_id_7p793EF07xKXHqAeg5VGPj --scope decrypt ' +
      '--field id.ssn9 --ttl 5m --reason "support case 4711")',
  ];
  static override args = userArg;
  static override flags = {
    scope: option({ summary: TOKEN_SCOPE_HELP, options: TOKEN_SCOPES, required: true })(),
    ...tokenFlags,
  };

  async run(): Promise<NewToken> {
    const { args, flags } = await this.parse(UsersToken);
    const params = { fp_id: args.fp_id };
    const body = tokenBody(flags);
    const token = await this.client.call('POST /users/{fp_id}/client_token', { params, body });
    this.note(tokenNote(token));
    return this.present(token, newTokenView);
  }
}
