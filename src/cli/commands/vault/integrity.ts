import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { string } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityArg, liveFlag, someIdentifiersArg } from '../../shell/flags.ts';
import { valuesView } from '../../vault/view.ts';

type Signatures = Record<string, string | null>;

export default class VaultIntegrity extends BaseCommand<Signatures> {
  static override summary =
    'Compute the HMAC-SHA256 of stored values with your own key, to compare without decrypting';
  static override examples = [
    '<%= config.bin %> vault integrity fp_id_7p793EF07xKXHqAeg5VGPj id.ssn9 --signing-key @signing.hex',
    '<%= config.bin %> vault integrity fp_id_7p793EF07xKXHqAeg5VGPj id.first_name id.ssn9 --signing-key @signing.hex --json',
  ];
  static override args = { ...entityArg, ...someIdentifiersArg };
  static override flags = {
    'signing-key': string({
      summary: 'the key in hex: @FILE, - for stdin, or asked for without echo',
      default: '?',
      helpValue: 'HEX',
    }),
    ...liveFlag,
  };

  async run(): Promise<Signatures> {
    const { args, flags } = await this.parse(VaultIntegrity);
    const { fp_id: id, identifiers } = args;
    const signingKey = await this.input.secret(flags['signing-key'], 'Signing key (hex)');
    const body = { fields: identifiers, signing_key: signingKey };
    const endpoint = entityEndpoint('POST /{entity}/vault/integrity', id);
    const signatures = await this.client.call(endpoint.key, { params: endpoint.params, body });
    return this.present(signatures, valuesView);
  }
}
