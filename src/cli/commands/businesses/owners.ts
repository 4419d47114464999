import { BaseCommand } from '../../base-command.ts';
import { businessArg, liveFlag } from '../../flags.ts';
import { offsetFlags, offsetQuery } from '../../offset-pages.ts';
import { ownerFlag, type NewOwner } from '../../owners.ts';
import { ownerListView, type Owners } from '../../views/owners.ts';

export default class BusinessesOwners extends BaseCommand<Owners> {
  static override summary = 'List the beneficial owners of a business, or add some';
  static override description =
    '--add takes the id or the external id of a user. Owners are added one after the other; when one is refused, those before it stay. Then all are listed.';
  static override examples = [
    '<%= config.bin %> businesses owners fp_bid_7p793EF07xKXHqAeg5VGPj',
    '<%= config.bin %> businesses owners fp_bid_7p793EF07xKXHqAeg5VGPj --add fp_id_7p793EF07xKXHqAeg5VGPj=60 ' +
      '--add fp_id_0a1b2c3d4e5f6g7h8i9j0k=40',
  ];
  static override args = businessArg;
  static override flags = {
    add: ownerFlag({
      summary: 'a user and its stake in per cent; repeatable',
      multiple: true,
      multipleNonGreedy: true,
    }),
    ...offsetFlags,
    ...liveFlag,
  };

  async run(): Promise<Owners> {
    const { args, flags } = await this.parse(BusinessesOwners);
    const params = { fp_bid: args.fp_bid };
    const added: NewOwner[] = [];
    for (const { fp_id, ...owner } of flags.add ?? [])
      added.push({ fp_id: await this.entityId(fp_id, { where: '--add', kind: 'user' }), ...owner });
    for (const body of added) await this.client.call('POST /businesses/{fp_bid}/owners', { params, body });
    const query = offsetQuery(flags);
    const owners = await this.client.call('GET /businesses/{fp_bid}/owners', { params, query });
    return this.present(owners, ownerListView);
  }
}
