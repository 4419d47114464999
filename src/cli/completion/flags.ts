import { string } from '@oclif/core/flags';
import { COMPLETION_SHELLS } from './shells.ts';

export const shellFlag = {
  shell: string({
    summary: 'which shell (default: that of $SHELL)',
    options: [...COMPLETION_SHELLS],
    helpValue: 'SHELL',
  }),
};
