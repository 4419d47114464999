import { boolean, string } from '@oclif/core/flags';
import type { BankLink } from '../endpoints/records.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { intentBody, intentOf, ownerFlags } from './flags.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { liveFlag } from '../../../cli/shell/flags.ts';
import { intentNote, newLinkView } from './view.ts';
import { printable } from '../../../cli/shell/output.ts';
import { defined } from '../../../kernel/defined.ts';

type Intent = AnswerOf<'POST /_kyclone/bank_link_intents'>;

class BankLinkCommand extends BaseCommand<BankLink | Intent> {
  static override summary = 'Link a bank of a user or business, or connect a link again';
  static override description =
    'Creates the intent that the bank flow would return, and uses it. With --intent-only ' +
    'it is printed instead, for your own app; with --open the page is, where a person chooses bank, persona and ' +
    'accounts before your app uses the intent. A link that is connected again keeps persona and institution.';
  static override examples = [
    '--user fp_id_…',
    'For a business:\n--business fp_bid_… --persona business --institution "Example Savings"',
    '--link link_…',
    '--user fp_id_… --open --redirect-url http://localhost:3000/linked',
    'INTENT=$(<%= config.bin %> bank link --user fp_id_… --intent-only)',
  ];
  static override flags = {
    ...ownerFlags,
    persona: string({
      summary: 'the persona whose data it brings; see bank personas list',
      helpValue: 'NAME',
    }),
    institution: string({ summary: 'name of the bank', helpValue: 'NAME' }),
    'external-id': string({ summary: 'your id for the link', helpValue: 'ID' }),
    'intent-only': boolean({ summary: 'print the intent without using it' }),
    open: boolean({
      summary: 'print the page of the intent, and open it in a browser where there is a desktop',
    }),
    'redirect-url': string({
      summary: 'where the page redirects at its end: loopback, or the host of an origin in cors.origins',
      helpValue: 'URL',
    }),
    ...liveFlag,
  };

  async run(): Promise<BankLink | Intent> {
    const { flags } = await this.parse(BankLinkCommand);
    const { open, 'intent-only': isIntentOnly, 'redirect-url': redirect_url } = flags;
    if (open && isIntentOnly)
      throw new UsageError('--open and --intent-only exclude each other: --json has both');
    if ((open || isIntentOnly) && flags['external-id'] !== undefined) {
      throw new UsageError(
        `--external-id names the link, which POST /bank_links makes: leave it out with --${open ? 'open' : 'intent-only'}`,
      );
    }
    if (redirect_url !== undefined && !open && !isIntentOnly) {
      throw new UsageError('--redirect-url needs a page: add --open or --intent-only');
    }
    const body = { ...(await intentBody(flags, this.client)), ...defined({ redirect_url }) };
    const intent = await intentOf(body, flags, this.client);
    if (open) {
      this.note(intentNote(intent));
      this.present(intent, () => printable(intent.link));
      await this.openLink(intent.link);
      return intent;
    }
    if (isIntentOnly) {
      this.note(intentNote(intent));
      // Alone, for `TOKEN=$(…)`.
      return this.present(intent, () => printable(intent.intent_token));
    }
    return await this.connect(intent, flags['external-id']);
  }

  private async connect({ intent_token }: Intent, external_id: string | undefined): Promise<BankLink> {
    const body = { intent_token, ...defined({ external_id }) };
    const link = await this.client.call('POST /bank_links', { body });
    const params = { link_id: link.id };
    const { accounts } = this.isForPeople
      ? await this.client.call('GET /bank_links/{link_id}/accounts', { params })
      : { accounts: [] };
    this.present(link, (_, style) => newLinkView(link, accounts, style));
    return link;
  }
}

export default { 'bank:link': BankLinkCommand };
