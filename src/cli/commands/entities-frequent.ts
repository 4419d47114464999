/** The frequent commands that users and businesses have alike; a start of these loads none of the others. */
import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../contract/registry.ts';
import { createAndWrite, createFlags } from '../entities/create.ts';
import { maskedOf } from '../entities/masked.ts';
import { reviewFlags, type Reviews, reviewsOf, reviewsView } from '../entities/search.ts';
import { type Kind, twins } from '../entities/twins.ts';
import { entityListView, entityView } from '../entities/view.ts';
import { BaseCommand } from '../shell/base-command.ts';
import { derived } from '../shell/derived.ts';
import { fieldsArg, liveFlag, pageFlags, pageQuery } from '../shell/flags.ts';

export default twins((own) => {
  const { kind, topic, arg, id } = own;
  return {
    create: createOf(own),
    list: listOf(own),
    get: derived('GET /{entity}', {
      summary: `Show a ${kind}: ids and status, nothing of its vault`,
      examples: [`${topic} get ${id}`, `${topic} get ${id} --output yaml`],
      args: arg,
      flags: liveFlag,
      view: entityView,
    }),
    update: derived('PATCH /{entity}', {
      summary: `Change a ${kind}'s external id; its data is changed by vault set`,
      examples: [
        `${topic} update ${id} --external-id customer-4711`,
        `${topic} update ${id} --external-id customer-4712 --json`,
      ],
      args: arg,
      flags: { 'external-id': string({ summary: 'the new external id', helpValue: 'ID' }), ...liveFlag },
      view: entityView,
    }),
  };
});

type Created = AnswerOf<'POST /users' | 'POST /businesses'>;

function createOf({ kind, topic }: Kind) {
  const fields = {
    user: [
      'id.first_name=Jane id.last_name=Doe',
      'id.first_name=Jane document.id_card.front.image=@front.png',
    ],
    business: ['business.name="Acme Bank" business.city=Boston'],
  };
  return class Creation extends BaseCommand<Created> {
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
  };
}

type Listed = AnswerOf<'GET /users'> | Reviews;

function listOf({ kind, topic }: Kind) {
  return class Listing extends BaseCommand<Listed> {
    static override summary = `List ${topic}, newest first, or those awaiting a review`;
    static override examples = [
      `<%= config.bin %> ${topic} list`,
      `<%= config.bin %> ${topic} list --external-id customer-4711 --json`,
      `<%= config.bin %> ${topic} list --review`,
    ];
    static override flags = {
      'external-id': string({ summary: 'only the one with this external id', helpValue: 'ID' }),
      ...reviewFlags,
      ...pageFlags,
      ...liveFlag,
    };

    async run(): Promise<Listed> {
      const { flags } = await this.parse(Listing);
      if (flags.review) {
        const reviews = await reviewsOf(this.client, kind, flags);
        return this.present(reviews, (_, style) => reviewsView(reviews, style));
      }
      const query = { external_id: flags['external-id'], ...pageQuery(flags) };
      const page = await (kind === 'user'
        ? this.client.call('GET /users', { query })
        : this.client.call('GET /businesses', { query }));
      const masked = this.isForPeople
        ? await maskedOf(this.client, page, { kind, flags, access: await this.access })
        : undefined;
      return this.present(page, (_, style) => entityListView(page, style, masked));
    }
  };
}
