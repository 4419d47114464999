import { BaseCommand } from '../../base-command.ts';
import { isBusinessId } from '../../entity-kind.ts';
import { entityArg, fieldFlags, fieldsArg, liveFlag, luhnHeader } from '../../flags.ts';
import { writtenView } from '../../views/vault.ts';

export default class VaultSet extends BaseCommand {
  static override summary = "Write to a user's or business's vault; :=null deletes a value";
  static override examples = [
    '<%= config.bin %> vault set fp_id_7p793EF07xKXHqAeg5VGPj id.email=jane@example.com id.ssn9=?',
    `<%= config.bin %> vault set fp_bid_7p793EF07xKXHqAeg5VGPj custom.tags:='["new"]' business.website:=null`,
  ];
  static override args = { ...entityArg, ...fieldsArg };
  static override flags = { ...fieldFlags, ...liveFlag };

  async run(): Promise<unknown> {
    const { args, flags } = await this.parse(VaultSet);
    const { fp_id: id } = args;
    const headers = luhnHeader(flags);
    const body = (await this.readFields(args.fields, flags.data)) ?? {};
    const answer = isBusinessId(id)
      ? await this.client.exchange('PATCH /businesses/{fp_bid}/vault', {
          params: { fp_bid: id },
          headers,
          body,
        })
      : await this.client.exchange('PATCH /users/{fp_id}/vault', { params: { fp_id: id }, headers, body });
    const version = answer.headers['x-fp-vault-version'];
    return this.present(answer.body, () => writtenView(version?.toString()));
  }
}
