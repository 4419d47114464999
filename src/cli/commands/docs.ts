import { string } from '@oclif/core/args';
import { boolean } from '@oclif/core/flags';
import { made } from '../shell/derived.ts';
import { UsageError } from '../shell/failure.ts';
import { docsAddress } from '../instance/view.ts';
import { SECTIONS } from '../../pages/docs/anchors.ts';
import { findTopic, suggestTopics } from '../../pages/docs/topics.ts';

const SECTION_NAMES = Object.keys(SECTIONS).join(', ');

export default made(
  {
    summary: "Open the running instance's docs page, at a topic",
    description:
      `A topic is a section (${SECTION_NAMES}), an operation by id or method and path, a data identifier, a ` +
      'transform, an event kind, an error code or a reason code. The address is printed, and opened in a browser where ' +
      'there is a desktop: not in CI, over ssh, or without a display.',
    examples: ['--print', '"POST /users" --print', 'id.ssn9 --json'],
    args: { topic: string({ description: 'topic to open (default: the start of the page)' }) },
    flags: { print: boolean({ summary: 'print the address, open nothing' }) },
    view: ({ url }: { readonly url: string }) => url,
  },
  async ({ args, flags }, { client, access, isForPeople, environment, note }) => {
    const topic = args.topic === undefined ? undefined : await namedTopic(args.topic);
    const { baseUrl } = await access();
    await client.request({ method: 'GET', path: '/_kyclone/health' });
    const url = docsAddress(baseUrl, topic?.anchor);
    const { openPage } = await import('../shell/open-page.ts');
    const seesBrowser = !flags.print && isForPeople && environment.hasDesktop;
    const opened = await openPage(url, { seesBrowser, note });
    // Null for the whole page.
    return { topic: topic?.name ?? null, url, opened };
  },
);

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
