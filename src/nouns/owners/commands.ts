import { string } from '@oclif/core/flags';
import { defined } from '../../kernel/defined.ts';
import { BaseCommand } from '../../cli/shell/base-command.ts';
import { businessArg, liveFlag, offsetFlags, whyFlag, repeatable, needing } from '../../cli/shell/flags.ts';
import {
  ownerFlag,
  type NewOwner,
  ownerListView,
  type OwnersAnswer,
} from '../entities/commands/attributes.ts';

class BusinessesOwners extends BaseCommand<OwnersAnswer> {
  static override summary = 'List the beneficial owners of a business, add some or remove some';
  static override description =
    '--add and --remove take the id or the external id of a user. Owners are removed, then added, one after the other; when one is refused, what was done before it stays. Then all are listed. A user who is removed stays a user.';
  static override examples = [
    'fp_bid_…',
    'fp_bid_… --add fp_id_…=60 --add fp_id_0a1b2c3d4e5f6g7h8i9j0k=40',
    'fp_bid_… --remove fp_id_… --as Ada --reason "sold the shares"',
  ];
  static override args = businessArg;
  static override flags = {
    add: ownerFlag({ summary: 'a user and its stake in per cent; repeatable', ...repeatable }),
    remove: string({
      summary: 'a user who is no longer an owner; repeatable',
      helpValue: 'ID',
      ...repeatable,
    }),
    reason: needing(whyFlag.reason, 'add', 'remove'),
    ...offsetFlags,
    ...liveFlag,
  };

  async run(): Promise<OwnersAnswer> {
    const { args, flags } = await this.parse(BusinessesOwners);
    const params = { fp_bid: args.fp_bid };
    const why = defined({ reason: flags.reason });
    const removed: string[] = [];
    for (const id of flags.remove ?? [])
      removed.push(await this.entityId(id, { where: '--remove', names: 'user' }));
    const added: NewOwner[] = [];
    for (const { fp_id, ...owner } of flags.add ?? [])
      added.push({ fp_id: await this.entityId(fp_id, { where: '--add', names: 'user' }), ...owner });
    for (const fp_id of removed)
      await this.client.call('DELETE /businesses/{fp_bid}/owners/{fp_id}', {
        params: { ...params, fp_id },
        body: why,
      });
    for (const owner of added)
      await this.client.call('POST /businesses/{fp_bid}/owners', { params, body: { ...owner, ...why } });
    const query = { page: flags.page, page_size: flags['page-size'] };
    const owners = await this.client.call('GET /businesses/{fp_bid}/owners', { params, query });
    return this.present(owners, ownerListView);
  }
}

export default { 'businesses:owners': BusinessesOwners };
