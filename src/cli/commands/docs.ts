import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../shell/base-command.ts';
import { UsageError } from '../shell/failure.ts';
import { docsAddress } from '../instance/view.ts';
import { SECTIONS } from '../../pages/docs/anchors.ts';
import { findTopic, suggestTopics } from '../../pages/docs/topics.ts';

interface DocsPage {
  /** Null for the whole page. */
  readonly topic: string | null;
  readonly url: string;
  readonly opened: boolean;
}

const SECTION_NAMES = Object.keys(SECTIONS).join(', ');

export default class Docs extends BaseCommand<DocsPage> {
  static override summary = "Open the running instance's docs page, at a topic";
  static override description =
    `A topic is a section (${SECTION_NAMES}), an operation by id or method and path, a data identifier, a ` +
    'transform, an event kind, an error code or a reason code. The address is printed, and opened in a browser where ' +
    'there is a desktop: not in CI, over ssh, or without a display.';
  static override examples = ['--print', '"POST /users" --print', 'id.ssn9 --json'];
  static override args = {
    topic: string({ description: 'topic to open (default: the start of the page)' }),
  };
  static override flags = {
    print: boolean({ summary: 'print the address, open nothing' }),
  };

  async run(): Promise<DocsPage> {
    const { args, flags } = await this.parse(Docs);
    const topic = args.topic === undefined ? undefined : await namedTopic(args.topic);
    const { baseUrl } = await this.access;
    await this.client.request({ method: 'GET', path: '/_kyclone/health' });
    const url = docsAddress(baseUrl, topic?.anchor);
    const { openPage } = await import('../shell/open-page.ts');
    const opened = await openPage(url, {
      seesBrowser: !flags.print && this.isForPeople && this.environment.hasDesktop,
      note: (text) => this.note(text),
    });
    return this.present({ topic: topic?.name ?? null, url, opened }, () => url);
  }
}

/** Throws UsageError with suggestions. */
async function namedTopic(typed: string) {
  const { allTopics } = await import('../docs/page.ts');
  const topics = allTopics();
  const found = findTopic(topics, typed);
  if (found) return found;
  const meant = suggestTopics(topics, typed);
  throw new UsageError(
    `The docs have no such topic${meant.length === 0 ? '' : `; did you mean ${meant.join(', ')}?`}`,
    `sections are ${SECTION_NAMES}; kyclone docs opens the whole page`,
  );
}
