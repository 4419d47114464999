import { boolean, string } from '@oclif/core/flags';
import { derived } from '../../cli/shell/derived.ts';
import { yesFlag } from '../../cli/shell/flags.ts';
import { table } from '../../cli/shell/layout.ts';

export default {
  reset: derived('POST /_kyclone/reset', {
    summary: 'Delete all entities with their data; keys and settings stay unless --hard',
    examples: ['--yes', '--hard --seed 42 --yes'],
    flags: {
      hard: boolean({ summary: 'also delete API keys, as before the first start' }),
      seed: string({ summary: 'seed from which ids repeat', helpValue: 'TEXT' }),
      ...yesFlag,
    },
    confirm: ({ flags }) => `Delete everything in this instance${flags.hard ? ', its API keys too' : ''}`,
    view: ({ deleted }, style) =>
      table(['DELETED', 'COUNT'], Object.entries(deleted), style, 'There was nothing to delete'),
  }),
};
