import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg } from '../../shell/flags.ts';
import { changeTags, tagFlags, tagsArg, type Tags, tagListView } from '../../entities/attributes.ts';

export default class BusinessesTag extends BaseCommand<Tags> {
  static override summary = 'List the tags of a business, add some or remove some';
  static override examples = [
    '<%= config.bin %> businesses tag fp_bid_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> businesses tag fp_bid_7p793EF07xKXHqAeg5VGPj vip "wave 2" --remove trial',
  ];
  static override args = { ...businessArg, ...tagsArg };
  static override flags = tagFlags;

  async run(): Promise<Tags> {
    const { args, flags } = await this.parse(BusinessesTag);
    const { fp_bid } = args;
    const tags = await changeTags(
      { add: args.tags, remove: flags.remove },
      {
        list: () => this.client.call('GET /businesses/{fp_bid}/tags', { params: { fp_bid } }),
        add: (tag) =>
          this.client.call('POST /businesses/{fp_bid}/tags', { params: { fp_bid }, body: { tag } }),
        remove: (tag_id) =>
          this.client.call('DELETE /businesses/{fp_bid}/tags/{tag_id}', { params: { fp_bid, tag_id } }),
      },
    );
    return this.present(tags, tagListView);
  }
}
