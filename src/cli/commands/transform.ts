import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { made } from '../shell/derived.ts';
import { UsageError } from '../shell/failure.ts';
import { withoutFinalNewline } from '../shell/input.ts';
import { printable } from '../shell/output.ts';
import { listView } from '../shell/layout.ts';
import type { TransformEntry } from '../../vault/transforms/reference.ts';

type Result = { value: string } | readonly TransformEntry[];

export const transformListView = listView<readonly TransformEntry[]>('No transforms', [
  ['TRANSFORM', 'form'],
  [
    'WHAT IT DOES',
    ({ description, example, input, output }) =>
      `${description}. ${input === null ? `Example: ${example}` : `${example} of ${input}: ${output ?? ''}`}`,
  ],
]);

export default made(
  {
    summary: 'Run a chain of transforms on a value, as a decryption would; needs no daemon',
    examples: [
      '--list',
      '"to_uppercase | prefix(2)" jane',
      `echo 1988-12-30 | <%= config.bin %> transform "date_format('%Y-%m-%d','%m/%d/%Y')"`,
    ],
    args: {
      chain: string({ description: 'transforms, joined by |' }),
      value: string({ description: 'the value (default: from stdin)', default: '-' }),
    },
    flags: { list: boolean({ summary: 'list the transforms with their arguments and an example' }) },
    view: (result: Result, style) => {
      if (!('value' in result)) return transformListView(result, style);
      return process.stdout.isTTY ? printable(result.value) : result.value;
    },
  },
  async ({ args, flags }, { input }): Promise<Result> => {
    if (flags.list) {
      if (args.chain !== undefined) throw new UsageError('--list takes no chain: it lists all transforms');
      const { transformCatalogue } = await import('../../vault/transforms/reference.ts');
      return transformCatalogue();
    }
    if (args.chain === undefined) {
      throw new UsageError(
        'Missing argument: chain (transforms, joined by |)',
        'kyclone transform --list lists the transforms',
      );
    }
    const { applyTransformsAtOnce, parseChain } = await import('../../vault/transforms/index.ts');
    const chain = parseChain(args.chain);
    const value = args.value === '-' ? withoutFinalNewline(await input.stdin()) : args.value;
    return { value: applyTransformsAtOnce(chain, value) as string };
  },
);
