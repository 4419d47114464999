import { BaseCommand } from '../../shell/base-command.ts';
import { approverFlag, partnerWords, cipReportView, type CipReport } from '../../partner/cip.ts';
import { liveFlag, userArg } from '../../shell/flags.ts';

export default class UsersCipReport extends BaseCommand<CipReport> {
  static override summary = 'Build the CIP report of a user with a decision; it shows decrypted data';
  static override description =
    'Everything it reads is recorded in the access log, with the reason cip_report.';
  static override examples = [
    '<%= config.bin %> users cip-report fp_id_7p793EF07xKXHqAeg5VGPj --approver "Ann Lee"',
    '<%= config.bin %> users cip-report fp_id_7p793EF07xKXHqAeg5VGPj --approver "Ann Lee" --json',
  ];
  static override args = userArg;
  static override flags = { ...approverFlag, ...liveFlag };

  async run(): Promise<CipReport> {
    const { args, flags } = await this.parse(UsersCipReport);
    const { partner_a } = await partnerWords(this.client, (await this.access).controlToken);
    const report = await this.client.call('POST /users/{fp_id}/integrations/{partner_a}/cip_report', {
      params: { fp_id: args.fp_id, partner_a },
      body: { default_approver: flags.approver },
    });
    return this.present(report, cipReportView);
  }
}
