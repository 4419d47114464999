import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { applyDefault, requireApplicable, whereItApplies } from '../../config/applied-settings.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { forgetSetting, isSettingName, keptMembers, settingName } from '../../config/preferences.ts';

export default class ConfigDelete extends BaseCommand<Record<string, null>> {
  static override aliases = ['config:unset'];
  static override summary =
    'Delete a kept setting; --now also resets it to the default in the running instance';
  static override description =
    'Without --now, a durable instance that was started with the setting may keep it.';
  static override examples = [
    '<%= config.bin %> config delete egress.policy',
    '<%= config.bin %> config delete egress.policy --now --json',
  ];
  static override args = { name: string({ description: 'name of the setting', required: true }) };
  static override flags = {
    now: boolean({ summary: 'also reset the running instance to the default' }),
  };

  async run(): Promise<Record<string, null>> {
    const { args, flags } = await this.parse(ConfigDelete);
    const { bases } = this.environment;
    // A name that is in the file may be deleted, even if it is not a setting.
    const name = Object.hasOwn(keptMembers(bases), args.name) ? args.name : settingName(args.name);
    if (flags.now) {
      const setting = settingName(name);
      requireApplicable(setting);
      await applyDefault(this.client, setting);
    }
    await forgetSetting(bases, name);
    const where = flags.now ? 'applied' : await whereItApplies(() => this.access);
    return this.present({ [name]: null }, () => `${name} is forgotten${appliedText(where, name)}`);
  }
}

function appliedText(where: 'applied' | 'running' | 'later', name: string): string {
  // An instance that runs can't change a name that is not a setting, or one that applies only at a start.
  const isApplicable = name !== 'seed' && isSettingName(name);
  switch (where) {
    case 'applied':
      return '; the running instance has its default';
    case 'running':
      return isApplicable
        ? `. An instance runs and keeps the value that it has: kyclone config delete ${name} --now gives it the default`
        : '';
    case 'later':
      return '';
  }
}
