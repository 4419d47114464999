import { string } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import { identifierView, type IdentifierLine } from '../../reference/view.ts';

export default class VaultIdentifiers extends BaseCommand<readonly IdentifierLine[]> {
  static override summary = 'List the data identifiers with rule, mask and example; needs no daemon';
  static override description =
    '<alias>, <kind> and <name> stand for words of your own, or kinds of documents. MASKED is what the journal, ' +
    'screens and exports show for the example. kyclone users search finds searchable ones. Exit code 1 when no ' +
    'identifier begins with PREFIX.';
  static override examples = [
    '<%= config.bin %> vault identifiers id.',
    '<%= config.bin %> vault identifiers document.passport',
    '<%= config.bin %> vault identifiers --json | jq -r ".[] | select(.searchable) | .identifier"',
  ];
  static override args = {
    prefix: string({ description: 'beginning of the identifiers (default: all)' }),
  };

  async run(): Promise<readonly IdentifierLine[]> {
    const { args } = await this.parse(VaultIdentifiers);
    const { identifiersBeginningWith } = await import('../../../vault/identifiers/catalogue.ts');
    const entries = identifiersBeginningWith(args.prefix ?? '');
    this.endWith(entries.length === 0 ? EXIT.failed : EXIT.ok);
    return this.present(entries, identifierView);
  }
}
