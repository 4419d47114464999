import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import { auditVerifyView } from '../../instance/control-view.ts';

export default class AuditVerify extends BaseCommand<AnswerOf<'GET /_kyclone/access-log/verify'>> {
  static override summary = 'Recompute the hash chain of the access log; exit code 1 when it is broken';
  static override description =
    'The last entry is also kept beside the store, in access-log.anchor in the data folder: a log that ends before it, ' +
    'and an anchor that is missing or was changed, are reported and end with exit code 1, too. To keep the state and ' +
    'begin a new anchor, save a snapshot and load it.';
  static override examples = ['<%= config.bin %> audit verify', '<%= config.bin %> audit verify --field ok'];

  async run(): Promise<AnswerOf<'GET /_kyclone/access-log/verify'>> {
    await this.parse(AuditVerify);
    const verdict = await this.client.call('GET /_kyclone/access-log/verify');
    if (!verdict.ok) this.endWith(EXIT.failed);
    return this.present(verdict, auditVerifyView);
  }
}
