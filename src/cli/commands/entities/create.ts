import type { AnswerOf } from '../../../contract/registry.ts';
import { createAndWrite, createFlags } from '../../entities/create.ts';
import { twins } from '../../entities/twins.ts';
import { entityView } from '../../entities/view.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { fieldsArg } from '../../shell/flags.ts';

type Created = AnswerOf<'POST /users' | 'POST /businesses'>;

export default twins(({ kind, topic }) => {
  const fields = {
    user: [
      'id.first_name=Jane id.last_name=Doe',
      'id.first_name=Jane document.id_card.front.image=@front.png',
    ],
    business: ['business.name="Acme Bank" business.city=Boston'],
  };
  class Creation extends BaseCommand<Created> {
    static override summary = `Create a ${kind} vault, optionally with initial data`;
    static override examples = [...fields[kind], '--external-id customer-4711', `--data @${kind}.json`].map(
      (words) => `<%= config.bin %> ${topic} create ${words}`,
    );
    static override args = fieldsArg;
    static override flags = createFlags;

    async run(): Promise<Created> {
      const { args, flags } = await this.parse(Creation);
      const { body, files } = await this.readFieldsAndFiles(args.fields, flags.data);
      const { client, isDryRun } = this;
      const entity = await createAndWrite<Created>(
        (options) =>
          kind === 'user' ? client.call('POST /users', options) : client.call('POST /businesses', options),
        { client, body, files, flags, isDryRun },
      );
      return this.present(entity, entityView);
    }
  }
  return { create: Creation };
});
