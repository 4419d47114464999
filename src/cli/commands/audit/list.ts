import { option, string } from '@oclif/core/flags';
import { ACCESS_OPERATIONS, ACCESS_OUTCOMES } from '../../../contract/facts/access-log.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityFlag, pageFlags, pageQuery } from '../../shell/flags.ts';
import { requireKnown } from '../../shell/entity-names.ts';
import { momentFlag, resolveMoment } from '../../shell/times.ts';
import { auditListView } from '../../instance/control-view.ts';

export default class AuditList extends BaseCommand<AnswerOf<'GET /_kyclone/access-log'>> {
  static override summary = 'List who read what and why, newest first';
  static override description =
    'Reads, searches and verifications, granted and refused. A manual decision reads nothing and is not here: decisions list and the timeline of a user or business have it.';
  static override examples = [
    '<%= config.bin %> audit list',
    '<%= config.bin %> audit list --entity fp_id_7p793EF07xKXHqAeg5VGPj --outcome refused',
  ];
  static override flags = {
    entity: entityFlag('only of this user or business'),
    identifier: string({ summary: 'only of this data identifier', helpValue: 'IDENTIFIER' }),
    operation: option({ summary: 'only of this kind', options: ACCESS_OPERATIONS })(),
    operator: string({
      summary: 'only of the operator with exactly this name (header x-kyclone-operator)',
      helpValue: 'NAME',
    }),
    outcome: option({ summary: 'only with this outcome', options: ACCESS_OUTCOMES })(),
    since: momentFlag({ summary: 'only from this time on: a time, or how long ago (10m)' }),
    ...pageFlags,
  };

  async run(): Promise<AnswerOf<'GET /_kyclone/access-log'>> {
    const { flags } = await this.parse(AuditList);
    const { entity: fp_id, identifier, operation, operator, outcome } = flags;
    const since = flags.since && (await resolveMoment(flags.since, this.client));
    const query = { fp_id, identifier, operation, operator, outcome, since, ...pageQuery(flags) };
    const page = await this.client.call('GET /_kyclone/access-log', { query });
    if (fp_id !== undefined && page.data.length === 0) await requireKnown(fp_id, this.client);
    return this.present(page, auditListView);
  }
}
