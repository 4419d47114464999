import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { keyringView } from '../../instance/control-view.ts';

export default class KeyringStatus extends BaseCommand<AnswerOf<'GET /_kyclone/keyring'>> {
  static override summary = 'Show root key versions and the slots that open the vault';
  static override examples = [
    '<%= config.bin %> keyring status',
    '<%= config.bin %> keyring status --field slots[].kind',
  ];

  async run(): Promise<AnswerOf<'GET /_kyclone/keyring'>> {
    await this.parse(KeyringStatus);
    return this.present(await this.client.call('GET /_kyclone/keyring'), keyringView);
  }
}
