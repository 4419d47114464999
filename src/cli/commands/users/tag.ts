import { BaseCommand } from '../../shell/base-command.ts';
import { userArg } from '../../shell/flags.ts';
import { changeTags, tagFlags, tagsArg, type Tags, tagListView } from '../../entities/attributes.ts';

export default class UsersTag extends BaseCommand<Tags> {
  static override summary = 'List the tags of a user, add some or remove some';
  static override examples = [
    '<%= config.bin %> users tag fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> users tag fp_id_7p793EF07xKXHqAeg5VGPj vip "wave 2" --remove trial',
  ];
  static override args = { ...userArg, ...tagsArg };
  static override flags = tagFlags;

  async run(): Promise<Tags> {
    const { args, flags } = await this.parse(UsersTag);
    const { fp_id } = args;
    const tags = await changeTags(
      { add: args.tags, remove: flags.remove },
      {
        list: () => this.client.call('GET /users/{fp_id}/tags', { params: { fp_id } }),
        add: (tag) => this.client.call('POST /users/{fp_id}/tags', { params: { fp_id }, body: { tag } }),
        remove: (tag_id) =>
          this.client.call('DELETE /users/{fp_id}/tags/{tag_id}', { params: { fp_id, tag_id } }),
      },
    );
    return this.present(tags, tagListView);
  }
}
