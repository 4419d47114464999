import type { MethodAndPath } from './facts/requests.ts';
import { accessLogEndpoints } from './access-log.ts';
import { apiKeyEndpoints } from './api-keys.ts';
import { bankLinkEndpoints } from './bank-links.ts';
import { clientTokenEndpoints } from './client-tokens.ts';
import { clockEndpoints } from './clock.ts';
import { comparisonEndpoints } from './comparisons.ts';
import { consoleEndpoints } from './console.ts';
import { decisionEndpoints } from './decisions.ts';
import { documentEndpoints } from './documents.ts';
import { duplicateEndpoints } from './duplicates.ts';
import { emulatorEndpoints } from './emulator.ts';
import type { BodyOf, Endpoint, HeadersOf, ParamsOf, QueryOf, ResponseOf } from './endpoint.ts';
import { entityEndpoints } from './entities.ts';
import { faultEndpoints } from './faults.ts';
import { claimEndpoints } from './claims.ts';
import { hitEndpoints } from './hits.ts';
import { hostedEndpoints } from './hosted.ts';
import { inspectorEndpoints, timelineEndpoints } from './inspector.ts';
import { integrationEndpoints } from './integrations.ts';
import { keyringEndpoints } from './keyring.ts';
import { labelEndpoints } from './labels.ts';
import { infoRequestEndpoints } from './info-requests.ts';
import { noteEndpoints } from './notes.ts';
import { onboardingEndpoints } from './onboardings.ts';
import { outcomeEndpoints } from './outcomes.ts';
import { ownerEndpoints } from './owners.ts';
import { playbookEndpoints } from './playbooks.ts';
import { proxyEndpoints } from './proxies.ts';
import { recordingEndpoints, requestEndpoints } from './requests.ts';
import { riskSignalEndpoints } from './risk-signals.ts';
import { searchEndpoints } from './search.ts';
import { sessionEndpoints } from './sessions.ts';
import { snapshotEndpoints } from './snapshots.ts';
import { streamEndpoints } from './stream.ts';
import { vaultEndpoints } from './vault.ts';
import { vaultProxyEndpoints } from './vault-proxy.ts';
import { webhookEndpoints } from './webhooks.ts';

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
