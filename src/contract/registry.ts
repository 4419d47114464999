import type { MethodAndPath } from '../nouns/requests/facts.ts';
import { accessLogEndpoints } from '../nouns/access-log/endpoints.ts';
import { apiKeyEndpoints } from '../nouns/api-keys/endpoints.ts';
import { bankLinkEndpoints } from '../nouns/bank-links/endpoints/index.ts';
import { clientTokenEndpoints } from '../nouns/client-tokens/endpoints.ts';
import { clockEndpoints } from '../nouns/clock/endpoints.ts';
import { comparisonEndpoints } from '../nouns/comparisons/endpoints.ts';
import { consoleEndpoints } from '../nouns/console/endpoints.ts';
import { decisionEndpoints } from '../nouns/decisions/endpoints.ts';
import { documentEndpoints } from '../nouns/documents/endpoints.ts';
import { duplicateEndpoints } from '../nouns/duplicates/endpoints.ts';
import { emulatorEndpoints } from '../nouns/control/endpoints.ts';
import type { BodyOf, Endpoint, HeadersOf, ParamsOf, QueryOf, ResponseOf } from './endpoint.ts';
import { entityEndpoints } from '../nouns/entities/endpoints.ts';
import { faultEndpoints } from '../nouns/faults/endpoints/index.ts';
import { claimEndpoints } from '../nouns/claims/endpoints.ts';
import { hitEndpoints } from '../nouns/hits/endpoints.ts';
import { hostedEndpoints } from '../nouns/hosted/endpoints/index.ts';
import { inspectorEndpoints, timelineEndpoints } from '../nouns/inspector/endpoints.ts';
import { integrationEndpoints } from '../nouns/integrations/endpoints/index.ts';
import { keyringEndpoints } from '../nouns/keyring/endpoints.ts';
import { labelEndpoints } from '../nouns/labels/endpoints.ts';
import { infoRequestEndpoints } from '../nouns/info-requests/endpoints.ts';
import { noteEndpoints } from '../nouns/notes/endpoints.ts';
import { onboardingEndpoints } from '../nouns/onboardings/endpoints/index.ts';
import { outcomeEndpoints } from '../nouns/outcomes/endpoints.ts';
import { ownerEndpoints } from '../nouns/owners/endpoints.ts';
import { playbookEndpoints } from '../nouns/playbooks/endpoints.ts';
import { proxyEndpoints } from '../nouns/proxies/endpoints.ts';
import { recordingEndpoints, requestEndpoints } from '../nouns/requests/endpoints.ts';
import { riskSignalEndpoints } from '../nouns/risk-signals/endpoints.ts';
import { searchEndpoints } from '../nouns/search/endpoints.ts';
import { sessionEndpoints } from '../nouns/onboardings/endpoints/sessions.ts';
import { snapshotEndpoints } from '../nouns/snapshots/endpoints/index.ts';
import { streamEndpoints } from '../nouns/stream/endpoints.ts';
import { vaultEndpoints } from '../nouns/vault/endpoints.ts';
import { vaultProxyEndpoints } from '../nouns/vault-proxy/endpoints.ts';
import { webhookEndpoints } from '../nouns/webhooks/endpoints/index.ts';

/** Every endpoint of the service, in the order of the docs. One line adds a resource. */
const all = [
  ...entityEndpoints,
  ...vaultEndpoints,
  ...clientTokenEndpoints,
  ...documentEndpoints,
  ...duplicateEndpoints,
  ...comparisonEndpoints,
  ...labelEndpoints,
  ...onboardingEndpoints,
  ...sessionEndpoints,
  ...hostedEndpoints,
  ...decisionEndpoints,
  ...riskSignalEndpoints,
  ...ownerEndpoints,
  ...vaultProxyEndpoints,
  ...bankLinkEndpoints,
  ...integrationEndpoints,
  ...emulatorEndpoints,
  ...consoleEndpoints,
  ...apiKeyEndpoints,
  ...keyringEndpoints,
  ...accessLogEndpoints,
  ...requestEndpoints,
  ...inspectorEndpoints,
  ...timelineEndpoints,
  ...claimEndpoints,
  ...hitEndpoints,
  ...noteEndpoints,
  ...infoRequestEndpoints,
  ...searchEndpoints,
  ...playbookEndpoints,
  ...outcomeEndpoints,
  ...proxyEndpoints,
  ...webhookEndpoints,
  ...clockEndpoints,
  ...streamEndpoints,
  ...faultEndpoints,
  ...snapshotEndpoints,
  ...recordingEndpoints,
] as const;

type Definition = (typeof all)[number];
export type EndpointKey = Definition['key'];
export type Registry = { readonly [K in EndpointKey]: Extract<Definition, { key: K }> };

export const endpoints: readonly (Endpoint & { key: EndpointKey })[] = all;

/** The request of an endpoint, for the typed client. Absent parts are `undefined`. */
export interface RequestOf<K extends EndpointKey> {
  params: ParamsOf<K>;
  query: QueryOf<Registry[K]>;
  headers: HeadersOf<Registry[K]>;
  body: BodyOf<Registry[K]>;
}
export type AnswerOf<K extends EndpointKey> = ResponseOf<Registry[K]>;

/** The method and the path template of a key, such as `POST` and `/users/{fp_id}/vault`. */
export function splitKey(key: MethodAndPath): { method: string; path: string } {
  const blank = key.indexOf(' ');
  return { method: key.slice(0, blank), path: key.slice(blank + 1) };
}
