import { BaseCommand } from '../../shell/base-command.ts';
import { businessArg } from '../../shell/flags.ts';
import {
  readTimeline,
  TIMELINE_DESCRIPTION,
  timelineFlags,
  timelineView,
  type Timeline,
} from '../../entities/timeline.ts';

export default class BusinessesTimeline extends BaseCommand<Timeline> {
  static override summary = 'List all that happened to a business, newest first';
  static override description = TIMELINE_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> businesses timeline fp_bid_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> businesses timeline fp_bid_7p793EF07xKXHqAeg5VGPj --kind read --kind decision --json',
  ];
  static override args = businessArg;
  static override flags = timelineFlags;

  async run(): Promise<Timeline> {
    const { args, flags } = await this.parse(BusinessesTimeline);
    return this.present(await readTimeline(this.client, args.fp_bid, flags), timelineView);
  }
}
