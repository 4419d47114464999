import { string } from '@oclif/core/args';
import { findPersona, type Persona, personaView } from '../../../bank/view.ts';
import { BaseCommand } from '../../../shell/base-command.ts';

export default class BankPersonasGet extends BaseCommand<Persona> {
  static override aliases = ['bank:personas:show'];
  static override summary = 'Show what the link of a persona brings';
  static override examples = [
    '<%= config.bin %> bank personas get default',
    '<%= config.bin %> bank personas get investor --json',
  ];
  static override args = { name: string({ description: 'name of a persona', required: true }) };

  async run(): Promise<Persona> {
    const { args } = await this.parse(BankPersonasGet);
    return this.present(await findPersona(this.client, args.name), personaView);
  }
}
