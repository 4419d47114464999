import { string as stringArg } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { keyringView } from '../instance/control-view.ts';
import { derived, made } from '../shell/derived.ts';
import { yesFlag } from '../shell/flags.ts';

export default {
  'keyring:slots:delete': derived('DELETE /_kyclone/keyring/slots/{id}', {
    summary: 'Delete a slot, a way to open the vault; the last one stays',
    aliases: ['keyring:remove-slot'],
    examples: ['keyring slots delete 2 --yes', 'keyring slots delete 2 --dry-run'],
    args: {
      id: stringArg({ description: 'id of the slot, as keyring status shows it', required: true }),
    },
    flags: yesFlag,
    confirm: 'Delete this slot',
    view: () => 'Deleted',
  }),
  'keyring:status': derived('GET /_kyclone/keyring', {
    summary: 'Show root key versions and the slots that open the vault',
    examples: ['keyring status', 'keyring status --field slots[].kind'],
    view: keyringView,
  }),
  'keyring:rotate': made(
    {
      summary: 'Make a new root key version; entity keys are rewrapped in the background',
      examples: ['keyring rotate --wait', 'keyring rotate --wait --field root_key_version'],
      flags: { wait: boolean({ summary: 'return when every entity key is rewrapped' }) },
      view: keyringView,
    },
    async ({ flags }, { client }) =>
      await client.call('POST /_kyclone/keyring/rotate', { query: flags.wait ? { wait: true } : {} }),
  ),
};
