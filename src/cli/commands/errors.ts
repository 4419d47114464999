import { string } from '@oclif/core/args';
import { made } from '../shell/derived.ts';
import { UsageError } from '../shell/failure.ts';
import { listView } from '../shell/layout.ts';
import { ERRORS, type ErrorEntry } from '../../contract/errors.ts';
import { didYouMean } from '../../kernel/text/nearest.ts';

export const errorListView = listView<readonly (ErrorEntry & { readonly code: string })[]>('No such code', [
  ['CODE', 'code'],
  ['STATUS', 'status'],
  ['MEANING AND HINT', ({ meaning, hint }) => [meaning, ...(hint === undefined ? [] : [hint])].join('; ')],
]);

export default made(
  {
    summary: 'List the error codes with status, meaning and hint; needs no daemon',
    examples: ['', 'T120'],
    args: { code: string({ description: 'only this one' }) },
    view: errorListView,
  },
  ({ args }) => {
    const all = Object.entries(ERRORS).map(([code, entry]) => ({ code, ...entry }));
    const found = args.code === undefined ? all : all.filter(({ code }) => code === args.code);
    if (found.length > 0) return found;
    throw new UsageError(
      `There is no such error code${didYouMean(args.code ?? '', Object.keys(ERRORS))}`,
      'kyclone errors lists them',
    );
  },
);
