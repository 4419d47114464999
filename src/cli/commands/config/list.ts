import { table } from '../../shell/layout.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { keptSettings, type KeptSettings } from '../../config/preferences.ts';

export default class ConfigList extends BaseCommand<KeptSettings> {
  static override summary = 'List the settings kept for later starts';
  static override examples = ['<%= config.bin %> config list', '<%= config.bin %> config list --output yaml'];

  async run(): Promise<KeptSettings> {
    await this.parse(ConfigList);
    const settings = keptSettings(this.environment.bases);
    return this.present(settings, (kept, style) =>
      table(
        ['SETTING', 'VALUE'],
        Object.entries(kept),
        style,
        'Nothing is kept; every setting has its default',
      ),
    );
  }
}
