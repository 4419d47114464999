import { string } from '@oclif/core/args';
import { findPersona, type Persona } from '../../../bank/personas.ts';
import { BaseCommand } from '../../../shell/base-command.ts';
import { personaView } from '../../../bank/view.ts';

export default class BankPersonasShow extends BaseCommand<Persona> {
  static override summary = 'Show what the link of a persona brings';
  static override examples = [
    '<%= config.bin %> bank personas show default',
    '<%= config.bin %> bank personas show investor --json',
  ];
  static override args = { name: string({ description: 'name of a persona', required: true }) };

  async run(): Promise<Persona> {
    const { args } = await this.parse(BankPersonasShow);
    return this.present(await findPersona(this.client, args.name), personaView);
  }
}
