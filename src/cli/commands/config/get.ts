import { string } from '@oclif/core/args';
import { BaseCommand } from '../../shell/base-command.ts';
import { EXIT } from '../../shell/exit-codes.ts';
import { CliError } from '../../shell/failure.ts';
import { printable } from '../../shell/output.ts';
import { keptSettings, settingName } from '../../config/preferences.ts';

export default class ConfigGet extends BaseCommand<Record<string, string>> {
  static override summary = 'Print a setting kept for later starts; exit code 6 when it is not set';
  static override examples = [
    '<%= config.bin %> config get egress.policy',
    '<%= config.bin %> config get egress.policy --json',
  ];
  static override args = { name: string({ description: 'name of the setting', required: true }) };

  async run(): Promise<Record<string, string>> {
    const { args } = await this.parse(ConfigGet);
    const name = settingName(args.name);
    const value = keptSettings(this.environment.bases)[name];
    if (value === undefined) {
      throw new CliError(`${name} is not set`, { code: 'not_found', exitCode: EXIT.notFound });
    }
    return this.present({ [name]: value }, () => printable(value));
  }
}
