import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { isBusinessId } from '../../../kernel/ids.ts';
import { string } from '@oclif/core/flags';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import {
  entityArg,
  integerFlag,
  liveFlag,
  reasonFlag,
  reasonOf,
  someIdentifiersArg,
  repeatable,
} from '../../../cli/shell/flags.ts';
import { valuesView } from './view.ts';
import { defined } from '../../../kernel/defined.ts';

class VaultDecrypt extends BaseCommand<Record<string, unknown>> {
  static override summary = 'Decrypt values of a vault, with a reason that goes into the access log';
  static override examples = [
    'fp_id_… id.first_name --reason "support case 4711"',
    `fp_id_… id.dob --reason test --transform "date_format('%Y-%m-%d','%m/%d/%Y')"`,
  ];
  static override args = { ...entityArg, ...someIdentifiersArg };
  static override flags = {
    reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
    transform: string({
      summary: 'a chain of transforms for every value; repeatable',
      helpValue: 'CHAIN',
      ...repeatable,
    }),
    at: integerFlag({ summary: 'the values as of this vault version', min: 0, helpValue: 'VERSION' }),
    'at-time': string({ summary: 'the values as of this time (users only)', helpValue: 'TIME' }),
    ...liveFlag,
  };

  async run(): Promise<Record<string, unknown>> {
    const { args, flags } = await this.parse(VaultDecrypt);
    const { fp_id: id, identifiers } = args;
    const versionAt = flags['at-time'];
    if (versionAt !== undefined && isBusinessId(id)) throw new UsageError('--at-time is for users only');
    const reason = await reasonOf(flags.reason, this.input);
    const headers = { 'x-fp-vault-version': flags.at?.toString() };
    const body = { fields: identifiers, reason, ...(flags.transform && { transforms: flags.transform }) };
    const endpoint = entityEndpoint('POST /{entity}/vault/decrypt', id);
    const values = await this.client.call(endpoint.key, {
      params: endpoint.params,
      headers,
      body: { ...body, ...defined({ version_at: versionAt }) },
    });
    return this.present(values, valuesView);
  }
}

export default { 'vault:decrypt': VaultDecrypt };
