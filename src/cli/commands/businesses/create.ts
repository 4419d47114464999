import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../base-command.ts';
import { createFlags, createHeaders } from '../../entity-flags.ts';
import { fieldsArg } from '../../flags.ts';
import { entityView } from '../../views/entities.ts';

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
    const body = await this.readFields(args.fields, flags.data);
    const business = await this.client.call('POST /businesses', { headers: createHeaders(flags), body });
    return this.present(business, entityView);
  }
}
