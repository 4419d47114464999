/** The flags of every command. */
import { boolean, string } from '@oclif/core/flags';
import { OUTPUTS } from './output-choice.ts';

export const commonFlags = {
  instance: string({
    summary:
      'the instance to speak to (default: $KYCLONE_BASE_URL, $KYCLONE_INSTANCE, the project\'s, "default")',
    helpGroup: 'GLOBAL',
    helpValue: 'NAME',
  }),
  json: boolean({ summary: 'print the result as JSON: --output json', helpGroup: 'GLOBAL' }),
  output: string({
    summary: 'print the result so; id prints what things are known by, a line each',
    options: OUTPUTS,
    helpValue: 'FORMAT',
    helpGroup: 'GLOBAL',
  }),
  field: string({
    summary: 'print this member of the result, such as data[].id; repeatable: columns with tabs',
    helpGroup: 'GLOBAL',
    helpValue: 'PATH',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'dry-run': boolean({ summary: 'send nothing, print the request as a curl command', helpGroup: 'GLOBAL' }),
  'with-values': boolean({ summary: 'print its values too, under --dry-run', helpGroup: 'GLOBAL' }),
};

/** What of them is given; a command may have one of its own under the same name. */
export interface CommonFlags {
  readonly instance?: string | undefined;
  readonly live?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly output?: string | undefined;
  readonly field?: readonly string[] | undefined;
  readonly 'dry-run'?: boolean;
  readonly 'with-values'?: boolean;
}
