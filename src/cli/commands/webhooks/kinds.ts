import { BaseCommand } from '../../shell/base-command.ts';
import { eventKindView } from '../../reference/view.ts';
import type { EventEntry } from '../../../fixtures/event-catalogue.ts';

export default class WebhooksKinds extends BaseCommand<readonly EventEntry[]> {
  static override summary = 'List the kinds of events, with sample bodies under --json; needs no daemon';
  static override description =
    'Kinds that are not sent by default are sent with the setting events.extended. In a body a kind has a prefix, the ' +
    'setting vocabulary.event_prefix; the samples have its default.';
  static override examples = [
    '<%= config.bin %> webhooks kinds',
    '<%= config.bin %> webhooks kinds --json | jq ".[0].body"',
  ];

  async run(): Promise<readonly EventEntry[]> {
    await this.parse(WebhooksKinds);
    const { eventCatalogue } = await import('../../../fixtures/event-catalogue.ts');
    const { DEFAULT_SETTINGS } = await import('../../../contract/settings.ts');
    return this.present(eventCatalogue(DEFAULT_SETTINGS.vocabulary.event_prefix), eventKindView);
  }
}
