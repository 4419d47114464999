import { string } from '@oclif/core/args';
import { BaseCommand } from '../../base-command.ts';
import { openPreferences, settingName } from '../../preferences.ts';

export default class ConfigSet extends BaseCommand<Record<string, string>> {
  static override summary = 'Keep a setting that every later start applies';
  static override description =
    'Lists are comma-separated or JSON. Whether a value is good is judged when the daemon starts; the setting of a ' +
    'running instance is changed by PATCH /_kyclone/settings.';
  static override examples = [
    '<%= config.bin %> config set egress.policy strict',
    '<%= config.bin %> config set cors.origins https://app.example.com,http://localhost:3000',
  ];
  static override args = {
    name: string({ description: 'name of the setting', required: true }),
    value: string({ description: 'its value', required: true }),
  };

  async run(): Promise<Record<string, string>> {
    const { args } = await this.parse(ConfigSet);
    const name = settingName(args.name);
    (await openPreferences(this.environment.bases)).set(name, args.value);
    return this.present({ [name]: args.value }, () => `${name} is kept; the next start applies it`);
  }
}
