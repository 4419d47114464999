import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { createAndWrite, createFlags } from '../../entities/create.ts';
import { fieldsArg } from '../../shell/flags.ts';
import { entityView } from '../../entities/view.ts';

export default class UsersCreate extends BaseCommand<AnswerOf<'POST /users'>> {
  static override summary = 'Create a user vault, optionally with initial data';
  static override examples = [
    '<%= config.bin %> users create id.first_name=Jane id.last_name=Doe',
    '<%= config.bin %> users create id.first_name=Jane document.id_card.front.image=@front.png',
    '<%= config.bin %> users create --external-id customer-4711',
    '<%= config.bin %> users create --data @user.json',
  ];
  static override args = fieldsArg;
  static override flags = createFlags;

  async run(): Promise<AnswerOf<'POST /users'>> {
    const { args, flags } = await this.parse(UsersCreate);
    const { body, files } = await this.readFieldsAndFiles(args.fields, flags.data);
    const user = await createAndWrite((options) => this.client.call('POST /users', options), {
      client: this.client,
      body,
      files,
      flags,
      isDryRun: this.isDryRun,
    });
    return this.present(user, entityView);
  }
}
