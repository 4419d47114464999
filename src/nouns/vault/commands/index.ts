import { string as stringArg } from '@oclif/core/args';
import { boolean, string } from '@oclif/core/flags';
import { derived, made } from '../../../cli/shell/derived.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { readFields } from '../../../cli/shell/fields.ts';
import {
  entityArg,
  fieldFlags,
  fieldsArg,
  identifiersArg,
  liveFlag,
  someIdentifiersArg,
  whyFlag,
  yesFlag,
} from '../../../cli/shell/flags.ts';
import { fitted, listView } from '../../../cli/shell/layout.ts';
import type { IdentifierEntry } from '../../../vault/identifiers/catalogue.ts';
import { deletionView, valuesView } from './view.ts';

const MASKED_COLUMNS = 24;

/** At least two lines for each: the longest names take most of a line. */
export const identifierView = listView<readonly IdentifierEntry[]>('No identifier has this prefix', [
  ['IDENTIFIER', 'identifier'],
  ['MASKED', ({ masked }, style) => fitted(masked, MASKED_COLUMNS, style)],
  ['RULE AND EXAMPLE', identifierNote, 'below'],
]);

function identifierNote(entry: IdentifierEntry): string {
  const { rule, mask, example, derived_from: sources } = entry;
  const origin = `${entry.derived ? 'derived' : 'also read'} from ${sources.join(', ')}`;
  return [
    rule,
    ...(sources.length > 0 && !rule.startsWith('another name') ? [origin] : []),
    ...(entry.searchable ? ['searchable'] : []),
    `mask: ${mask}`,
    ...(example === null
      ? []
      : [`example: ${typeof example === 'string' ? example : JSON.stringify(example)}`]),
  ].join('; ');
}

export default {
  'vault:delete': derived('DELETE /{entity}/vault', {
    summary: 'Delete values of a vault; earlier versions stay readable unless --purge',
    examples: ['fp_id_… id.ssn9 --yes --reason "asked for it"', 'fp_id_… --all --purge --yes'],
    args: { ...entityArg, ...identifiersArg },
    flags: {
      all: boolean({ summary: 'delete all values' }),
      purge: boolean({ summary: 'also destroy all earlier versions of the deleted values' }),
      ...whyFlag,
      ...yesFlag,
      ...liveFlag,
    },
    confirm: ({ args: { fp_id: id, identifiers }, flags: { all, purge } }) => {
      if (all === (identifiers !== undefined)) throw new UsageError('Name what to delete, or give --all');
      const what = identifiers === undefined ? 'everything' : `${identifiers.length} of the values`;
      return `Delete ${what} in the vault of ${id}${purge ? ', all versions' : ''}`;
    },
    send: ({ args: { identifiers }, flags: { purge, reason } }) => ({
      ...(identifiers === undefined ? { delete_all: true } : { fields: identifiers }),
      purge: purge || undefined,
      reason,
    }),
    view: deletionView,
  }),
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
      args: { prefix: stringArg({ description: 'beginning of the identifiers (default: all)' }) },
      fails: ({ length }) => length === 0,
      view: identifierView,
    },
    async ({ args }) => {
      const { identifiersBeginningWith } = await import('../../../vault/identifiers/catalogue.ts');
      return identifiersBeginningWith(args.prefix ?? '');
    },
  ),
};
