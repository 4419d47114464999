import { BaseCommand } from '../../shell/base-command.ts';
import { userArg, liveFlag } from '../../shell/flags.ts';
import { labelArg, labelBody, labelView } from '../../entities/attributes.ts';

export default class UsersLabel extends BaseCommand {
  static override summary = 'Show the label of a user, or set it; none removes it';
  static override examples = [
    '<%= config.bin %> users label fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> users label fp_id_7p793EF07xKXHqAeg5VGPj offboard_fraud',
  ];
  static override args = { ...userArg, ...labelArg };
  static override flags = liveFlag;

  async run(): Promise<unknown> {
    const { args } = await this.parse(UsersLabel);
    const params = { fp_id: args.fp_id };
    const label =
      args.label === undefined
        ? await this.client.call('GET /users/{fp_id}/label', { params })
        : await this.client.call('POST /users/{fp_id}/label', { params, body: labelBody(args.label) });
    return this.present(label, () => labelView(label, this.style));
  }
}
