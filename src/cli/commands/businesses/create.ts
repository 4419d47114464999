import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { createAndWrite, createFlags } from '../../entities/create.ts';
import { fieldsArg } from '../../shell/flags.ts';
import { entityView } from '../../entities/view.ts';

export default class BusinessesCreate extends BaseCommand<AnswerOf<'POST /businesses'>> {
  static override summary = 'Create a business vault, optionally with initial data';
  static override examples = [
    '<%= config.bin %> businesses create business.name="Acme Bank" business.city=Boston',
    '<%= config.bin %> businesses create --external-id customer-4711',
    '<%= config.bin %> businesses create --data @business.json',
  ];
  static override args = fieldsArg;
  static override flags = createFlags;

  async run(): Promise<AnswerOf<'POST /businesses'>> {
    const { args, flags } = await this.parse(BusinessesCreate);
    const { body, files } = await this.readFieldsAndFiles(args.fields, flags.data);
    const business = await createAndWrite((options) => this.client.call('POST /businesses', options), {
      client: this.client,
      body,
      files,
      flags,
      isDryRun: this.isDryRun,
    });
    return this.present(business, entityView);
  }
}
