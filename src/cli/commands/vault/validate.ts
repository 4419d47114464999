import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, fieldFlags, fieldsArg, liveFlag, luhnHeader } from '../../shell/flags.ts';

export default class VaultValidate extends BaseCommand {
  static override summary = 'Check data against a vault without storing it; exit code 7 when it is not valid';
  static override examples = [
    '<%= config.bin %> vault validate fp_id_7p793EF07xKXHqAeg5VGPj id.dob=1988-12-30',
    '<%= config.bin %> vault validate fp_id_7p793EF07xKXHqAeg5VGPj id.email=jane@example.com id.dob=1988-12-30 --json',
  ];
  static override args = { ...entityArg, ...fieldsArg };
  static override flags = { ...fieldFlags, ...liveFlag };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(VaultValidate);
    const { fp_id: id } = args;
    const headers = luhnHeader(flags);
    const body = (await this.readFields(args.fields, flags.data)) ?? {};
    const endpoint = entityEndpoint('POST /{entity}/vault/validate', id);
    const answer = await this.client.call(endpoint.key, { params: endpoint.params, headers, body });
    return this.present(answer, () => 'Valid');
  }
}
