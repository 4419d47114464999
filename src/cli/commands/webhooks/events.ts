import { string } from '@oclif/core/flags';
import type { AnswerOf } from '../../../contract/registry.ts';
import { BaseCommand } from '../../shell/base-command.ts';
import { entityFlag, pageFlags, pageQuery, spaceFlags, spaceQuery } from '../../shell/flags.ts';
import { eventListView } from '../../webhooks/view.ts';
import { momentFlag, resolveMoment } from '../../shell/times.ts';

export default class WebhooksEvents extends BaseCommand<AnswerOf<'GET /_kyclone/events'>> {
  static override summary = 'List events, newest first, sent or not';
  static override examples = [
    '<%= config.bin %> webhooks events --since 10m',
    '<%= config.bin %> webhooks events --fp-id fp_id_7p793EF07xKXHqAeg5VGPj --json',
  ];
  static override flags = {
    kind: string({ summary: 'only of this kind', helpValue: 'KIND' }),
    'fp-id': entityFlag('only of this user or business'),
    since: momentFlag({ summary: 'only from this time on: a time, or how long ago (10m)' }),
    ...spaceFlags,
    ...pageFlags,
  };

  async run(): Promise<AnswerOf<'GET /_kyclone/events'>> {
    const { flags } = await this.parse(WebhooksEvents);
    const { kind, 'fp-id': fp_id } = flags;
    const since = flags.since && (await resolveMoment(flags.since, this.client));
    const query = { kind, fp_id, since, ...spaceQuery(flags), ...pageQuery(flags) };
    return this.present(await this.client.call('GET /_kyclone/events', { query }), eventListView);
  }
}
