import { resolve } from 'node:path';
import { option } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { NEW_SLOT_KINDS } from '../../../../contract/facts/control.ts';
import type { AnswerOf } from '../../../../contract/registry.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { UsageError } from '../../../shell/failure.ts';
import { newSlotView } from '../../../instance/control-view.ts';

export default class KeyringSlotsCreate extends BaseCommand<AnswerOf<'POST /_kyclone/keyring/slots'>> {
  static override aliases = ['keyring:add-slot'];
  static override summary =
    'Create a slot, one more way to open the vault: a passphrase, a key file, a recovery code';
  static override examples = [
    '<%= config.bin %> keyring slots create recovery',
    '<%= config.bin %> keyring slots create passphrase',
    '<%= config.bin %> keyring slots create key_file --path /mnt/usb/kyclone.key',
  ];
  static override args = {
    kind: option({ description: 'what opens it', options: NEW_SLOT_KINDS })({
      required: true,
    }),
  };
  static override flags = {
    path: string({ summary: 'path of the new key file', helpValue: 'FILE' }),
    passphrase: string({
      summary: '@FILE or - for stdin; default: asked for without echo',
      default: '?',
      helpValue: '@FILE|-',
    }),
  };

  async run(): Promise<AnswerOf<'POST /_kyclone/keyring/slots'>> {
    const { args, flags } = await this.parse(KeyringSlotsCreate);
    const slot = await this.client.call('POST /_kyclone/keyring/slots', {
      body: { kind: args.kind, ...(await this.opener(args.kind, flags)) },
    });
    return this.present(slot, newSlotView);
  }

  private async opener(
    kind: string,
    { path, passphrase }: { path?: string | undefined; passphrase: string },
  ) {
    if (kind === 'key_file') {
      if (path === undefined) throw new UsageError('A key_file slot needs --path');
      return { path: resolve(path) };
    }
    if (kind !== 'passphrase') return {};
    if (!/^(?:[?-]$|@)/.test(passphrase)) {
      throw new UsageError('--passphrase takes @FILE or -: other users can see the command line');
    }
    return { passphrase: await this.input.secret(passphrase, 'New passphrase', { twice: true }) };
  }
}
