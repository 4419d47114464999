import { string as stringArg } from '@oclif/core/args';
import { derived } from '../shell/derived.ts';
import { yesFlag } from '../shell/flags.ts';

export default {
  'tokens:delete': derived('DELETE /_kyclone/tokens/{id}', {
    summary: 'Delete a client token; requests with it are refused from then on',
    aliases: ['tokens:revoke'],
    examples: [
      'tokens delete tok_7p793EF07xKXHqAeg5VGPj --yes',
      'tokens delete tok_7p793EF07xKXHqAeg5VGPj --dry-run',
    ],
    args: {
      id: stringArg({ description: 'id of the token (tok_…), not the token', required: true }),
    },
    flags: yesFlag,
    confirm: 'Delete this client token',
    view: () => 'Deleted',
  }),
};
