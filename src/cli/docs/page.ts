/**
 * The docs page: its topics by name, which are the lists that the page is made of, and opening it in a browser.
 *
 * The browser is opened with the opener of each platform and without a shell. The libraries for this bring a dozen
 * packages for other things than addresses. The address is our own, and it is checked all the same to be http: an
 * opener takes files and options, too.
 */
import { spawn } from 'node:child_process';
import { openApiDocument } from '../../contract/openapi.ts';
import { docsTopics, type Topic } from '../../contract/docs/topics.ts';
import { DEFAULT_SETTINGS } from '../../contract/settings.ts';
import { eventCatalogue } from '../../fixtures/event-catalogue.ts';
import reasonCodes from '../../fixtures/reason-codes.json' with { type: 'json' };
import { identifierCatalogue } from '../../vault/identifiers/catalogue.ts';
import { transformCatalogue } from '../../vault/transforms/reference.ts';

/** Paths in the words of a fresh instance; where they stand doesn't depend on the words. */
export function allTopics(): Topic[] {
  const { vocabulary } = DEFAULT_SETTINGS;
  const document = openApiDocument({ vocabulary, version: '', baseUrl: 'http://localhost' });
  return docsTopics(document, {
    identifiers: identifierCatalogue(),
    documentKinds: [],
    transforms: transformCatalogue(),
    events: eventCatalogue(vocabulary.event_prefix),
    reasonCodes,
    webhookHeaderPrefix: '',
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const OTHER_OPENER = ['xdg-open'] as const;

/** Whether the opener could be started; it runs on when this process has ended. */
export async function openPage(address: string): Promise<boolean> {
  if (!/^https?:\/\//.test(address)) return false;
  const [program, ...options] = OPENERS[process.platform] ?? OTHER_OPENER;
  const opener = spawn(program, [...options, address], { detached: true, stdio: 'ignore' });
  return await new Promise((resolve) => {
    opener.once('error', () => resolve(false));
    opener.once('spawn', () => {
      opener.unref();
      resolve(true);
    });
  });
}
