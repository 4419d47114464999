import { string as stringArg } from '@oclif/core/args';
import { FAULT_PRESETS } from '../endpoints/presets.ts';
import {
  faultFlags,
  faultListView,
  faultOf,
  faultPresetsView,
  faultView,
  faultsClearedView,
  matchesNothing,
} from './rules.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import { pageFlags } from '../../../cli/shell/flags.ts';

export default {
  'faults:create': derived('POST /_kyclone/faults', {
    summary: 'Create a fault rule: matching requests fail, wait or lose their connection',
    description:
      'Latency comes first, then --abort, then --status; a rule with --latency alone lets the request continue. With ' +
      '--abort or --status it is not carried out. The oldest matching rule applies. Rules survive restarts, until `faults delete` or a reset.',
    aliases: ['faults:add'],
    examples: [
      '--preset flaky',
      '--method POST --path "/users/*/vault" --status 503 --times 2',
      '--path "/users/**" --latency 2s --probability 20% --seed monday',
      '--path /vault_proxy/** --abort connection',
    ],
    flags: faultFlags,
    send: ({ flags }) => faultOf(flags),
    view: faultView,
    note: async (_, { flags }) => {
      if (flags.path === undefined) return undefined;
      return (await matchesNothing(faultOf(flags)))
        ? 'Warning: no endpoint has such a path and method, so this rule applies to no call of the API'
        : undefined;
    },
  }),
  'faults:list': derived('GET /_kyclone/faults', {
    summary: 'List fault rules and how often they applied, in order of precedence',
    examples: ['', '--json'],
    flags: pageFlags,
    view: faultListView,
  }),
  'faults:delete': made(
    {
      summary: 'Delete fault rules by id, or all',
      description: 'It asks for no confirmation. Afterwards requests work normally again.',
      aliases: ['faults:clear'],
      examples: ['', 'flt_…'],
      args: { ids: stringArg({ description: 'ids of rules (flt_…); default: all', multiple: true }) },
      view: (_, _style, { args }) => faultsClearedView(args.ids ?? []),
    },
    async ({ args: { ids = [] } }, { client }) => {
      let answer: unknown = {};
      if (ids.length === 0) answer = await client.call('DELETE /_kyclone/faults');
      for (const id of ids) answer = await client.call('DELETE /_kyclone/faults/{id}', { params: { id } });
      return answer;
    },
  ),
  'faults:presets': made(
    {
      summary: 'List the fault rules that `faults create --preset` knows',
      description: 'Needs no daemon. With --json each has the members of its rule.',
      examples: ['', '--json'],
      view: faultPresetsView,
    },
    () => FAULT_PRESETS,
  ),
};
