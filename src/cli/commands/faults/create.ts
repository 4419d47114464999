import { BaseCommand } from '../../shell/base-command.ts';
import { faultFlags, faultOf, type FaultRule, faultView } from '../../faults/faults.ts';

export default class FaultsCreate extends BaseCommand<FaultRule> {
  static override aliases = ['faults:add'];
  static override summary = 'Create a fault rule: matching requests fail, wait or lose their connection';
  static override description =
    'Latency comes first, then --abort, then --status; a rule with --latency alone lets the request continue. The oldest ' +
    'matching rule applies. Rules survive restarts, until `faults delete` or a reset.';
  static override examples = [
    '<%= config.bin %> faults create --preset flaky',
    '<%= config.bin %> faults create --method POST --path "/users/*/vault" --status 503 --times 2',
    '<%= config.bin %> faults create --path "/users/**" --latency 2s --probability 20% --seed monday',
    '<%= config.bin %> faults create --path /vault_proxy/** --abort connection',
  ];
  static override flags = faultFlags;

  async run(): Promise<FaultRule> {
    const { flags } = await this.parse(FaultsCreate);
    const body = faultOf(flags);
    const rule = await this.client.call('POST /_kyclone/faults', { body });
    if (flags.path !== undefined) {
      const { matchesNothing } = await import('../../faults/unmatched.ts');
      if (matchesNothing(body))
        this.note(
          'Warning: no endpoint has such a path and method, so this rule applies to no call of the API',
        );
    }
    return this.present(rule, faultView);
  }
}
