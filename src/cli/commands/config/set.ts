import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../shell/base-command.ts';
import { applySetting, requireApplicable, whereItApplies } from '../../config/applied-settings.ts';
import { judgeSetting, keepSetting, settingName } from '../../config/preferences.ts';

export default class ConfigSet extends BaseCommand<Record<string, string>> {
  static override summary = 'Keep a setting that every later start applies; --now also applies it at once';
  static override description =
    'Lists are comma-separated or JSON. A value that the daemon would refuse is refused here, and not kept. Without --now, a running instance does not change.';
  static override examples = [
    '<%= config.bin %> config set egress.policy strict',
    '<%= config.bin %> config set cors.origins https://app.example.com,http://localhost:3000 --now',
  ];
  static override args = {
    name: string({ description: 'name of the setting', required: true }),
    value: string({ description: 'its value', required: true }),
  };
  static override flags = {
    now: boolean({ summary: 'also apply it to the running instance' }),
  };

  async run(): Promise<Record<string, string>> {
    const { args, flags } = await this.parse(ConfigSet);
    const name = settingName(args.name);
    const { bases } = this.environment;
    await judgeSetting(bases, name, args.value);
    if (flags.now) {
      requireApplicable(name);
      await applySetting(this.client, name, args.value);
    }
    await keepSetting(bases, name, args.value);
    const where = flags.now ? 'applied' : await whereItApplies(() => this.access);
    return this.present({ [name]: args.value }, () => `${name} is kept; ${appliedText(where)}`);
  }
}

function appliedText(where: 'applied' | 'running' | 'later'): string {
  switch (where) {
    case 'applied':
      return 'the running instance applies it from now on';
    case 'running':
      return 'the next start applies it. The running instance does not change: add --now to apply it there';
    case 'later':
      return 'the next start applies it';
  }
}
