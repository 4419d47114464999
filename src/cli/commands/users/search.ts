import { string } from '@oclif/core/args';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag, pageFlags } from '../../shell/flags.ts';
import { entityListView } from '../../entities/view.ts';

export default class UsersSearch extends BaseCommand<AnswerOf<'POST /users/search'>> {
  static override summary = 'Find users by an exact value, such as an e-mail address or a phone number';
  static override description =
    'Nothing is decrypted; the search goes into the access log. Left out, the text is asked for without echo: a value ' +
    'on the command line is seen by everybody who lists processes, and stays in the history of the shell.';
  static override examples = [
    '<%= config.bin %> users search',
    '<%= config.bin %> users search - < address.txt',
    '<%= config.bin %> users search jane@example.com --json',
  ];
  static override args = {
    text: string({ description: 'the value: @FILE, - for stdin, ? to be asked', default: '?' }),
  };
  static override flags = { ...pageFlags, ...liveFlag };

  async run(): Promise<AnswerOf<'POST /users/search'>> {
    const { args, flags } = await this.parse(UsersSearch);
    const search = await this.input.secret(args.text, 'Value to search for');
    const { cursor, 'page-size': size } = flags;
    const pagination = {
      ...(cursor !== undefined && { cursor }),
      ...(size !== undefined && { page_size: size }),
    };
    const found = await this.client.call('POST /users/search', { body: { search, pagination } });
    return this.present(found, entityListView);
  }
}
