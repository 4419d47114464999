import { resolve } from 'node:path';
import { option, string as stringArg } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { NEW_SLOT_KINDS } from '../control/facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { derived, made } from '../../cli/shell/derived.ts';
import { UsageError } from '../../cli/shell/failure.ts';
import { yesFlag } from '../../cli/shell/flags.ts';
import type { InputSource } from '../../cli/shell/input.ts';
import { listView, pairs, shortTime } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';
import { defined } from '../../kernel/defined.ts';

type Keyring = AnswerOf<'GET /_kyclone/keyring'>;

const slotList = listView<Keyring['slots']>('No slots: the key is kept in memory only', [
  ['SLOT', 'id'],
  ['KIND', 'kind'],
  ['CREATED (UTC)', ({ created_at }) => shortTime(created_at), 2],
  ['LAST USED (UTC)', ({ last_used_at }) => shortTime(last_used_at), 1],
]);

export function keyringView(keyring: Keyring, style: Style): string {
  const entities = Object.entries(keyring.entities_by_root_key_version).map(
    ([version, count]) => `${count} under version ${version}`,
  );
  const head = {
    'root key version': keyring.root_key_version,
    'oldest in use': keyring.min_root_key_version,
    entities: entities.join(', '),
  };
  return [pairs(head, style), '', slotList(keyring.slots, style)].join('\n');
}

export default {
  'keyring:slots:delete': derived('DELETE /_kyclone/keyring/slots/{id}', {
    summary: 'Delete a slot, a way to open the vault; the last one stays',
    aliases: ['keyring:remove-slot'],
    examples: ['2 --yes', '2 --dry-run'],
    args: { id: stringArg({ description: 'id of the slot, as keyring status shows it', required: true }) },
    flags: yesFlag,
    confirm: 'Delete this slot',
  }),
  'keyring:status': derived('GET /_kyclone/keyring', {
    summary: 'Show root key versions and the slots that open the vault',
    examples: ['', '--field slots[].kind'],
    view: keyringView,
  }),
  'keyring:rotate': made(
    {
      summary: 'Make a new root key version; entity keys are rewrapped in the background',
      examples: ['--wait', '--wait --field root_key_version'],
      flags: { wait: boolean({ summary: 'return when every entity key is rewrapped' }) },
      view: keyringView,
    },
    async ({ flags }, { client }) =>
      await client.call('POST /_kyclone/keyring/rotate', { query: flags.wait ? { wait: true } : {} }),
  ),
  'keyring:slots:create': derived('POST /_kyclone/keyring/slots', {
    summary: 'Create a slot, one more way to open the vault: a passphrase, a key file, a recovery code',
    aliases: ['keyring:add-slot'],
    examples: ['recovery', 'passphrase', 'key_file --path /mnt/usb/kyclone.key'],
    args: { kind: option({ description: 'what opens it', options: NEW_SLOT_KINDS })({ required: true }) },
    flags: {
      path: string({ summary: 'path of the new key file', helpValue: 'FILE' }),
      passphrase: string({
        summary: '@FILE or - for stdin; default: asked for without echo',
        helpValue: '@FILE|-',
      }),
    },
    send: async ({ args: { kind }, flags }, { input }) => ({ kind, ...(await openerOf(kind, flags, input)) }),
    view: ({ id, kind, recovery_code: code }, style) => {
      const shown = pairs({ id, kind, ...defined({ 'recovery code': code }) }, style);
      return code === undefined ? shown : `${shown}\n${style.warn('The code is shown only once')}`;
    },
  }),
};

async function openerOf(
  kind: string,
  { path, passphrase }: { readonly path: string | undefined; readonly passphrase: string | undefined },
  input: InputSource,
) {
  if (path !== undefined && kind !== 'key_file') throw new UsageError('--path is for a key_file slot');
  if (passphrase !== undefined && kind !== 'passphrase')
    throw new UsageError('--passphrase is for a passphrase slot');
  if (kind === 'key_file') {
    if (path === undefined) throw new UsageError('A key_file slot needs --path');
    return { path: resolve(path) };
  }
  if (kind !== 'passphrase') return {};
  const source = passphrase ?? '?';
  if (!/^(?:[?-]$|@)/.test(source))
    throw new UsageError('--passphrase takes @FILE or -: other users can see the command line');
  return { passphrase: await input.secret(source, 'New passphrase', { twice: true }) };
}
