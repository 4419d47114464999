import { option, string } from '@oclif/core/flags';
import { SEVERITIES } from '../../../contract/facts/onboardings.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { liveFlag } from '../../shell/flags.ts';
import { chosenEntries, type Catalogue, catalogueView } from '../../risk-signals/view.ts';

export default class RiskSignalsCatalogue extends BaseCommand<Catalogue> {
  static override summary = 'List all risk signals';
  static override examples = [
    '<%= config.bin %> risk-signals catalogue --severity high',
    '<%= config.bin %> risk-signals catalogue --search "address box" --json',
  ];
  static override flags = {
    severity: option({
      summary: 'only those of this severity',
      options: SEVERITIES,
    })(),
    search: string({
      summary: 'only those whose code, note, description or scopes contain these words',
      helpValue: 'WORDS',
    }),
    ...liveFlag,
  };

  async run(): Promise<Catalogue> {
    const { flags } = await this.parse(RiskSignalsCatalogue);
    const entries = await this.client.call('GET /org/risk_signals');
    return this.present(chosenEntries(entries, flags), catalogueView);
  }
}
