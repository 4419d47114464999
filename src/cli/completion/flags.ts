import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { COMPLETION_SHELLS } from './shells.ts';

export const shellFlag = {
  shell: string({
    summary: 'which shell (default: that of $SHELL)',
    options: [...COMPLETION_SHELLS],
    helpValue: 'SHELL',
  }),
};

/** As other programs have it: `completion install fish`. */
export const shellArg = {
  shell: stringArg({
    description: 'the same as --shell',
    options: [...COMPLETION_SHELLS],
  }),
};
