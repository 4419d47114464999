/** The topics of the docs page by name, from the same lists as the page. */
import { openApiDocument } from '../../contract/openapi.ts';
import { docsTopics, type Topic } from '../../pages/docs/topics.ts';
import { DEFAULT_SETTINGS } from '../../nouns/settings/endpoints/index.ts';
import { eventCatalogue } from '../../fixtures/event-catalogue.ts';
import reasonCodes from '../../fixtures/reason-codes.json' with { type: 'json' };
import { identifierCatalogue } from '../../vault/identifiers/catalogue.ts';
import { transformCatalogue } from '../../vault/transforms/reference.ts';

/** Uses the vocabulary of a fresh instance. The places on the page don't depend on it. */
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
