import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import { identifierView } from '../../../cli/reference/view.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import { readFields } from '../../../cli/shell/fields.ts';
import { entityArg, fieldFlags, fieldsArg, liveFlag, someIdentifiersArg } from '../../../cli/shell/flags.ts';
import { valuesView } from './view.ts';

export default {
  'vault:integrity': derived('POST /{entity}/vault/integrity', {
    summary: 'Compute the HMAC-SHA256 of stored values with your own key, to compare without decrypting',
    examples: [
      'fp_id_… id.ssn9 --signing-key @signing.hex',
      'fp_id_… id.first_name id.ssn9 --signing-key @signing.hex --json',
    ],
    args: { ...entityArg, ...someIdentifiersArg },
    flags: {
      'signing-key': string({
        summary: 'the key in hex: @FILE, - for stdin, or asked for without echo',
        default: '?',
        helpValue: 'HEX',
      }),
      ...liveFlag,
    },
    send: async ({ args, flags }, { input }) => ({
      fields: args.identifiers,
      signing_key: await input.secret(flags['signing-key'], 'Signing key (hex)'),
    }),
    view: valuesView,
  }),
  'vault:validate': derived('POST /{entity}/vault/validate', {
    summary: 'Check data against a vault without storing it; exit code 7 when it is not valid',
    examples: ['fp_id_… id.dob=1988-12-30', 'fp_id_… id.email=jane@example.com id.dob=1988-12-30 --json'],
    args: { ...entityArg, ...fieldsArg },
    flags: { ...fieldFlags, ...liveFlag },
    send: async ({ args, flags }, { input }) =>
      (await readFields({ fields: args.fields ?? [], data: flags.data }, input)) ?? {},
    view: () => 'Valid',
  }),
  'vault:identifiers': made(
    {
      summary: 'List the data identifiers with rule, mask and example; needs no daemon',
      description:
        '<alias>, <kind> and <name> stand for words of your own, or kinds of documents. MASKED is what the journal, ' +
        'screens and exports show for the example. kyclone users search finds searchable ones. Exit code 1 when no ' +
        'identifier begins with PREFIX.',
      examples: ['id.', 'document.passport', '--json | jq -r ".[] | select(.searchable) | .identifier"'],
      args: {
        prefix: stringArg({ description: 'beginning of the identifiers (default: all)' }),
      },
      fails: ({ length }) => length === 0,
      view: identifierView,
    },
    async ({ args }) => {
      const { identifiersBeginningWith } = await import('../../../vault/identifiers/catalogue.ts');
      return identifiersBeginningWith(args.prefix ?? '');
    },
  ),
};
