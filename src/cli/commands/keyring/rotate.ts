import { boolean } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { keyringView } from '../../instance/control-view.ts';

export default class KeyringRotate extends BaseCommand<AnswerOf<'POST /_kyclone/keyring/rotate'>> {
  static override summary = 'Make a new root key version; entity keys are rewrapped in the background';
  static override examples = [
    '<%= config.bin %> keyring rotate --wait',
    '<%= config.bin %> keyring rotate --wait --field root_key_version',
  ];
  static override flags = { wait: boolean({ summary: 'return when every entity key is rewrapped' }) };

  async run(): Promise<AnswerOf<'POST /_kyclone/keyring/rotate'>> {
    const { flags } = await this.parse(KeyringRotate);
    const query = flags.wait ? { wait: true } : {};
    return this.present(await this.client.call('POST /_kyclone/keyring/rotate', { query }), keyringView);
  }
}
