import { readInspection } from '../../../client/inspection.ts';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { ifFound } from '../../../client/errors.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { entityArg, identifiersArg, integerFlag, liveFlag } from '../../../cli/shell/flags.ts';
import { inspectionView, presenceView, type Inspection, type Presence } from './view.ts';

class VaultGet extends BaseCommand<Inspection | Presence> {
  static override summary =
    'Show the masked contents of a vault; with identifiers, which of them are present';
  static override description =
    'Without identifiers it shows the masked view of the control plane if its token is known, otherwise the identifiers ' +
    'that are present. Nothing is decrypted, nothing is logged.';
  static override examples = ['fp_id_…', 'fp_id_… id.ssn9 id.email --json'];
  static override args = { ...entityArg, ...identifiersArg };
  static override flags = {
    at: integerFlag({
      summary: 'the identifiers present at this vault version',
      min: 0,
      helpValue: 'VERSION',
    }),
    ...liveFlag,
  };

  async run(): Promise<Inspection | Presence> {
    const { args, flags } = await this.parse(VaultGet);
    const { fp_id: id, identifiers } = args;
    if (identifiers === undefined && flags.at === undefined) {
      const entity = await this.inspect(id, flags.live);
      if (entity) return this.present(entity, () => inspectionView(entity, this.style));
    }
    const query = { fields: identifiers?.join(',') };
    const headers = { 'x-fp-vault-version': flags.at?.toString() };
    const endpoint = entityEndpoint('GET /{entity}/vault', id);
    const presence = await this.client.call(endpoint.key, { params: endpoint.params, query, headers });
    return this.present(presence, () => presenceView(presence, this.style));
  }

  /** Undefined without a control token, and for an entity of another tenant, which the key may still see. */
  private async inspect(id: string, isLive: boolean): Promise<Inspection | undefined> {
    const { controlToken } = await this.access;
    if (controlToken === undefined) return undefined;
    return await ifFound(readInspection(this.client, id, isLive ? { environment: 'live' } : {}));
  }
}

export default { 'vault:get': VaultGet };
