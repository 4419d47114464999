import { string as stringArg } from '@oclif/core/args';
import { derived, made } from '../../../cli/shell/derived.ts';
import { entityArg, liveFlag, yesFlag } from '../../../cli/shell/flags.ts';
import { tokenListView } from './client-tokens.ts';

export default {
  'tokens:delete': derived('DELETE /_kyclone/tokens/{id}', {
    summary: 'Delete a client token; requests with it are refused from then on',
    aliases: ['tokens:revoke'],
    examples: ['tok_… --yes', 'tok_… --dry-run'],
    args: { id: stringArg({ description: 'id of the token (tok_…), not the token', required: true }) },
    flags: yesFlag,
    confirm: 'Delete this client token',
  }),
  'tokens:list': made(
    {
      summary: 'List the client tokens of a user or business, without the tokens themselves',
      examples: ['fp_id_…', 'fp_id_… --output id'],
      args: entityArg,
      flags: liveFlag,
      view: tokenListView,
    },
    async ({ args, flags }, { client }) => {
      const { tokens } = await client.call('GET /_kyclone/entities/{fp_id}', {
        params: { fp_id: args.fp_id },
        query: flags.live ? { environment: 'live' } : {},
      });
      return tokens;
    },
  ),
};
