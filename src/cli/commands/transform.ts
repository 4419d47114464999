import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { UsageError } from '../shell/failure.ts';
import { withoutFinalNewline } from '../shell/input.ts';
import { printable } from '../shell/output.ts';
import { transformListView, type TransformLine } from '../reference/view.ts';

type Result = { value: string } | readonly TransformLine[];

export default class Transform extends BaseCommand<Result> {
  static override summary = 'Run a chain of transforms on a value, as a decryption would; needs no daemon';
  static override examples = [
    '--list',
    '"to_uppercase | prefix(2)" jane',
    `echo 1988-12-30 | <%= config.bin %> transform "date_format('%Y-%m-%d','%m/%d/%Y')"`,
  ];
  static override args = {
    chain: string({ description: 'transforms, joined by |' }),
    value: string({ description: 'the value (default: from stdin)', default: '-' }),
  };
  static override flags = {
    list: boolean({ summary: 'list the transforms with their arguments and an example' }),
  };

  async run(): Promise<Result> {
    const { args, flags } = await this.parse(Transform);
    if (flags.list) return await this.list(args.chain);
    if (args.chain === undefined) {
      throw new UsageError(
        'Missing argument: chain (transforms, joined by |)',
        'kyclone transform --list lists the transforms',
      );
    }
    const { applyTransformsAtOnce, parseChain } = await import('../../vault/transforms/index.ts');
    const chain = parseChain(args.chain);
    const isFromStdin = args.value === '-';
    const value = isFromStdin ? withoutFinalNewline(await this.input.stdin()) : args.value;
    const result = applyTransformsAtOnce(chain, value) as string;
    return this.present({ value: result }, () => (process.stdout.isTTY ? printable(result) : result));
  }

  private async list(chain: string | undefined): Promise<Result> {
    if (chain !== undefined) throw new UsageError('--list takes no chain: it lists all transforms');
    const { transformCatalogue } = await import('../../vault/transforms/reference.ts');
    const entries = transformCatalogue();
    return this.present(entries, (_, style) => transformListView(entries, style));
  }
}
