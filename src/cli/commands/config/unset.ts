import { string } from '@oclif/core/args';
import { BaseCommand } from '../../base-command.ts';
import { openPreferences, settingName } from '../../preferences.ts';

export default class ConfigUnset extends BaseCommand<Record<string, null>> {
  static override summary = 'Forget a kept setting';
  static override examples = [
    '<%= config.bin %> config unset egress.policy',
    '<%= config.bin %> config unset egress.policy --json',
  ];
  static override args = { name: string({ description: 'name of the setting', required: true }) };

  async run(): Promise<Record<string, null>> {
    const { args } = await this.parse(ConfigUnset);
    const name = settingName(args.name);
    (await openPreferences(this.environment.bases)).unset(name);
    return this.present({ [name]: null }, () => `${name} is forgotten`);
  }
}
