import { BaseCommand } from '../shell/base-command.ts';
import { readCapabilities, type Capabilities, capabilitiesView } from '../capabilities/document.ts';

export default class CapabilitiesCommand extends BaseCommand<Capabilities> {
  static override summary =
    'Show what this program can do: commands, output schemas, exit codes, environment';
  static override examples = ['', '--json | jq -r ".commands[].id"'];

  async run(): Promise<Capabilities> {
    await this.parse(CapabilitiesCommand);
    return this.present(readCapabilities(this.config.root), capabilitiesView);
  }
}
