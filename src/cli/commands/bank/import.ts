import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { importFlags, importStatement } from '../../bank/import/run.ts';
import { STATEMENT_FORMATS } from '../../bank/import/statement-file.ts';
import { type ImportSummary, importView } from '../../bank/import/summary.ts';
import { parseColumnNames } from '../../bank/import/columns.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag } from '../../shell/flags.ts';

export default class BankImport extends BaseCommand<ImportSummary> {
  static override summary = 'Import the transactions of a statement: CSV, OFX or JSON; all of them or none';
  static override description =
    'Mistakes in the file are reported line by line, without values, and then nothing is imported. A CSV file has a ' +
    'header; its columns are found by title, or with --columns. OFX transactions go to the account whose mask is the ' +
    'end of the number in the file; their ids are made of the account and FITID. A statement can be imported again: a ' +
    'row with an id replaces the one with this id, and a row without an id that equals an existing one is not added.';
  static override examples = [
    '<%= config.bin %> bank import link_7p793EF07xKXHqAeg5VGPj statement.ofx --dry-run',
    'A CSV file of another country:\n<%= config.bin %> bank import link_7p793EF07xKXHqAeg5VGPj umsaetze.csv --columns date=Datum,amount=Betrag,description=Text ' +
      '--date-format DD.MM.YYYY --decimal-comma --account acct_7p793EF07xKXHqAeg5VGPj',
  ];
  static override args = {
    link_id: stringArg({ description: 'id of the link (link_…)', required: true }),
    file: stringArg({ description: 'path of the statement, or - for stdin', required: true }),
  };
  static override flags = {
    account: string({ summary: 'the account of rows that name none', helpValue: 'ID' }),
    format: option({
      summary: 'what the file is (default: by its extension, else by its content)',
      options: STATEMENT_FORMATS,
    })(),
    'dry-run': boolean({
      summary:
        'check the rows and show what would be imported, the first rows with sign and balance; nothing is',
    }),
    ...importFlags,
    ...liveFlag,
  };

  async run(): Promise<ImportSummary> {
    const { args, flags } = await this.parse(BankImport);
    const summary = await importStatement(this.client, {
      linkId: args.link_id,
      file: args.file,
      format: flags.format,
      accountId: flags.account,
      currency: flags.currency,
      columns: parseColumnNames(flags.columns ?? []),
      readDate: flags['date-format'],
      hasDecimalComma: flags['decimal-comma'],
      duplicates: flags.duplicates,
      isDryRun: flags['dry-run'],
    });
    return this.present(summary, importView);
  }
}
