/** The lists of the docs page besides the endpoints. Loaded at the first request for the page. */
import { HEADER_PREFIXES } from '../../webhooks/facts.ts';
import type { DocsReference } from '../../../pages/docs/reference.ts';
import type { Settings } from '../../settings/endpoints/index.ts';
import { eventCatalogue } from '../../../fixtures/event-catalogue.ts';
import { identifierCatalogue } from '../../../vault/identifiers/catalogue.ts';
import { DOCUMENT_KINDS } from '../../../vault/identifiers/index.ts';
import { transformCatalogue } from '../../../vault/transforms/reference.ts';
import { CATALOGUE } from '../../risk-signals/service.ts';

/** In the vocabulary of this instance. */
export function docsReference({
  event_prefix: prefix,
  webhook_style: style,
}: Settings['vocabulary']): DocsReference {
  return {
    identifiers: identifierCatalogue(),
    documentKinds: DOCUMENT_KINDS,
    transforms: transformCatalogue(),
    events: eventCatalogue(prefix),
    reasonCodes: CATALOGUE,
    webhookHeaderPrefix: HEADER_PREFIXES[style],
  };
}
