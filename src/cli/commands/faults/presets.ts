import { FAULT_PRESETS, type FaultPreset } from '../../../contract/fault-presets.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { faultPresetsView } from '../../faults/faults.ts';

export default class FaultsPresets extends BaseCommand<readonly FaultPreset[]> {
  static override summary = 'List the fault rules that `faults create --preset` knows';
  static override description = 'Needs no daemon. With --json each has the members of its rule.';
  static override examples = ['<%= config.bin %> faults presets', '<%= config.bin %> faults presets --json'];

  async run(): Promise<readonly FaultPreset[]> {
    await this.parse(FaultsPresets);
    return this.present(FAULT_PRESETS, faultPresetsView);
  }
}
