import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { applyDefault, requireApplicable, whereItApplies } from '../../config/applied-settings.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { forgetSetting, isSettingName, keptMembers, settingName } from '../../config/preferences.ts';

export default class ConfigDelete extends BaseCommand<Record<string, null>> {
  static override aliases = ['config:unset'];
  static override summary = 'Delete a kept setting; --now gives the running instance its default back, too';
  static override description =
    'An instance keeps the settings that it has: without --now, one that was started with the setting and is kept on disk may go on with it.';
  static override examples = [
    '<%= config.bin %> config delete egress.policy',
    '<%= config.bin %> config delete egress.policy --now --json',
  ];
  static override args = { name: string({ description: 'name of the setting', required: true }) };
  static override flags = {
    now: boolean({ summary: 'give the running instance the default back, too' }),
  };

  async run(): Promise<Record<string, null>> {
    const { args, flags } = await this.parse(ConfigDelete);
    const { bases } = this.environment;
    // A name that stands in the file may be forgotten, whatever it is.
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
  // What is no setting, or is taken at a start only, can't be changed in an instance that runs.
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
