import { defined } from '../../../kernel/defined.ts';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { entityArg, identifiersArg, liveFlag, whyFlag, yesFlag } from '../../../cli/shell/flags.ts';
import { deletionView } from './view.ts';

class VaultDelete extends BaseCommand<Record<string, boolean>> {
  static override summary = 'Delete values of a vault; earlier versions stay readable unless --purge';
  static override examples = ['fp_id_… id.ssn9 --yes --reason "asked for it"', 'fp_id_… --all --purge --yes'];
  static override args = { ...entityArg, ...identifiersArg };
  static override flags = {
    all: boolean({ summary: 'delete all values' }),
    purge: boolean({ summary: 'also destroy all earlier versions of the deleted values' }),
    ...whyFlag,
    ...yesFlag,
    ...liveFlag,
  };

  async run(): Promise<Record<string, boolean>> {
    const { args, flags } = await this.parse(VaultDelete);
    const { fp_id: id, identifiers } = args;
    if (flags.all === (identifiers !== undefined)) throw new UsageError('Name what to delete, or give --all');
    const what = identifiers === undefined ? 'everything' : `${identifiers.length} of the values`;
    await this.confirmLoss(`Delete ${what} in the vault of ${id}${flags.purge ? ', all versions' : ''}`);
    const body = {
      ...(identifiers === undefined ? { delete_all: true } : { fields: identifiers }),
      ...(flags.purge && { purge: true }),
      ...defined({ reason: flags.reason }),
    };
    const endpoint = entityEndpoint('DELETE /{entity}/vault', id);
    const deleted = await this.client.call(endpoint.key, { params: endpoint.params, body });
    return this.present(deleted, deletionView);
  }
}

export default { 'vault:delete': VaultDelete };
