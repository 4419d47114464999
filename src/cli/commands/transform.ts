import { string } from '@oclif/core/args';
import { BaseCommand } from '../base-command.ts';
import { withoutFinalNewline } from '../input.ts';
import { printable } from '../output.ts';

export default class Transform extends BaseCommand<{ value: string }> {
  static override summary = 'Run a chain of transforms on a value, as a decryption would; needs no daemon';
  static override examples = [
    '<%= config.bin %> transform "to_uppercase | prefix(2)" jane',
    `echo 1988-12-30 | <%= config.bin %> transform "date_format('%Y-%m-%d','%m/%d/%Y')"`,
  ];
  static override args = {
    chain: string({ description: 'transforms, joined by |', required: true }),
    value: string({ description: 'the value; from stdin unless given', default: '-' }),
  };

  async run(): Promise<{ value: string }> {
    const { args } = await this.parse(Transform);
    const { applyTransformsAtOnce, parseChain } = await import('../../vault/transforms/index.ts');
    const chain = parseChain(args.chain);
    const isFromStdin = args.value === '-';
    const value = isFromStdin ? withoutFinalNewline(await this.input.stdin()) : args.value;
    const result = applyTransformsAtOnce(chain, value) as string;
    return this.present({ value: result }, () => (process.stdout.isTTY ? printable(result) : result));
  }
}
