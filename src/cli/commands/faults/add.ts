import { BaseCommand } from '../../shell/base-command.ts';
import { faultFlags, faultOf, type FaultRule } from '../../faults/flags.ts';
import { faultView } from '../../faults/view.ts';

export default class FaultsAdd extends BaseCommand<FaultRule> {
  static override summary = 'Let requests that match fail, wait or break off';
  static override description =
    'Latency comes first, then --abort, then --status; a rule with --latency alone lets the request go on. The oldest ' +
    'rule that matches is the one that applies. Rules stay over restarts, until `faults clear` or a reset.';
  static override examples = [
    '<%= config.bin %> faults add --preset flaky',
    '<%= config.bin %> faults add --method POST --path "/users/*/vault" --status 503 --times 2',
    '<%= config.bin %> faults add --path "/users/**" --latency 2s --probability 20% --seed monday',
    '<%= config.bin %> faults add --path /vault_proxy/** --abort connection',
  ];
  static override flags = faultFlags;

  async run(): Promise<FaultRule> {
    const { flags } = await this.parse(FaultsAdd);
    return this.present(await this.client.call('POST /_kyclone/faults', { body: faultOf(flags) }), faultView);
  }
}
