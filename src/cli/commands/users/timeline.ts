import { BaseCommand } from '../../shell/base-command.ts';
import { userArg } from '../../shell/flags.ts';
import {
  readTimeline,
  TIMELINE_DESCRIPTION,
  timelineFlags,
  timelineView,
  type Timeline,
} from '../../entities/timeline.ts';

export default class UsersTimeline extends BaseCommand<Timeline> {
  static override summary = 'List all that happened to a user, newest first';
  static override description = TIMELINE_DESCRIPTION;
  static override examples = [
    '<%= config.bin %> users timeline fp_id_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> users timeline fp_id_7p793EF07xKXHqAeg5VGPj --kind read --kind decision --json',
  ];
  static override args = userArg;
  static override flags = timelineFlags;

  async run(): Promise<Timeline> {
    const { args, flags } = await this.parse(UsersTimeline);
    return this.present(await readTimeline(this.client, args.fp_id, flags), timelineView);
  }
}
