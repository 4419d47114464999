import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { pageFlags, pageQuery } from '../../shell/flags.ts';
import { filterFlags, wantsControl, requestListView } from '../../requests/requests.ts';
import { momentFlag, resolveMoment } from '../../shell/times.ts';

type Requests = AnswerOf<'GET /_kyclone/requests'>;

export default class RequestsList extends BaseCommand<Requests> {
  static override summary = 'List the last requests, newest first; values are masked';
  static override description =
    'The journal keeps the last 2,000 requests since the daemon started. Calls below /_kyclone/ are left out unless --control.';
  static override examples = [
    '<%= config.bin %> requests list --since 10m',
    '<%= config.bin %> requests list --method POST --path "/users/**" --status 400',
  ];
  static override flags = {
    ...filterFlags,
    since: momentFlag({ summary: 'only from this time on: a time, or how long ago (10m)' }),
    ...pageFlags,
  };

  async run(): Promise<Requests> {
    const { flags } = await this.parse(RequestsList);
    const { method, path, status } = flags;
    const since = flags.since && (await resolveMoment(flags.since, this.client));
    const control = wantsControl(flags);
    const query = { method, path, status, since, control, ...pageQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/requests', { query }), requestListView);
  }
}
