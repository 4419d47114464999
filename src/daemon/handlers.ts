/** The handler of every endpoint; a missing one is a type error. */
import type { EndpointKey } from '../contract/registry.ts';
// Not imported through the index, which the types of every handler import.
import { apiKeyHandlers } from '../resources/api-keys/handlers.ts';
import { bankLinkHandlers } from '../resources/bank-links/index.ts';
import { clientTokenHandlers } from '../resources/client-tokens/index.ts';
import { clockHandlers } from '../resources/clock/index.ts';
import { comparisonHandlers } from '../resources/comparisons/index.ts';
import { consoleHandlers } from '../resources/console/index.ts';
import { controlHandlers, pageHandlers } from '../resources/control/index.ts';
import { documentHandlers } from '../resources/documents/index.ts';
import { duplicateHandlers } from '../resources/duplicates/index.ts';
import { entityHandlers } from '../resources/entities/index.ts';
import { faultHandlers } from '../resources/faults/index.ts';
import type { Handlers } from '../resources/handlers.ts';
import { claimHandlers } from '../resources/claims/index.ts';
import { hitHandlers } from '../resources/hits/index.ts';
import { browserSessionHandlers, hostedHandlers } from '../resources/hosted/index.ts';
import { accessLogHandlers, inspectorHandlers, maskedNames } from '../resources/inspector/index.ts';
import { integrationHandlers } from '../resources/integrations/index.ts';
import { keyringHandlers } from '../resources/keyring/index.ts';
import { labelHandlers } from '../resources/labels/index.ts';
import { infoRequestHandlers } from '../resources/info-requests/index.ts';
import { noteHandlers } from '../resources/notes/index.ts';
import { onboardingHandlers } from '../resources/onboardings/index.ts';
import { outcomeHandlers } from '../resources/outcomes/index.ts';
import { ownerHandlers } from '../resources/owners/index.ts';
import { playbookHandlers } from '../resources/playbooks/index.ts';
import { proxyHandlers } from '../resources/proxies/index.ts';
import { recordingHandlers } from '../resources/recording/index.ts';
import { requestHandlers } from '../resources/requests/index.ts';
import { resetHandlers } from '../resources/reset/index.ts';
import { riskSignalHandlers } from '../resources/risk-signals/index.ts';
import { searchHandlers } from '../resources/search/index.ts';
import { settingsHandlers } from '../resources/settings/index.ts';
import { snapshotHandlers } from '../resources/snapshots/index.ts';
import { streamHandlers } from '../resources/stream/index.ts';
import { vaultHandlers } from '../resources/vault/index.ts';
import { vaultProxyHandlers } from '../resources/vault-proxy/index.ts';
import { webhookHandlers } from '../resources/webhooks/index.ts';
import type { Nouns } from './nouns.ts';

export function createHandlers(nouns: Nouns): Handlers<EndpointKey> {
  return {
    ...entityHandlers(nouns),
    ...vaultHandlers(nouns.vaultService),
    ...clientTokenHandlers({ tokens: nouns.tokens, vault: nouns.vaultService }),
    ...documentHandlers(nouns),
    ...duplicateHandlers(nouns),
    ...comparisonHandlers(nouns.comparisons),
    ...labelHandlers(nouns.labels),
    ...onboardingHandlers(nouns),
    ...hostedHandlers(nouns.hosted),
    ...browserSessionHandlers(nouns.browserSessions),
    ...riskSignalHandlers(nouns),
    ...ownerHandlers(nouns),
    ...vaultProxyHandlers(nouns.vaultProxy),
    ...proxyHandlers(nouns.proxies),
    ...bankLinkHandlers(nouns.bankLinks),
    ...integrationHandlers(nouns.integrations),
    ...playbookHandlers(nouns.playbooks),
    ...outcomeHandlers(nouns.outcomes),
    ...webhookHandlers(nouns.webhooks, (query) => maskedNames(nouns, query)),
    ...clockHandlers(nouns.clockService),
    ...streamHandlers(nouns.stream),
    ...requestHandlers(nouns.journal),
    ...faultHandlers(nouns.faults),
    ...recordingHandlers(nouns.recorder),
    ...snapshotHandlers(nouns.snapshots),
    ...apiKeyHandlers(nouns.apiKeys),
    ...settingsHandlers(nouns.settings),
    ...keyringHandlers(nouns.keyringOperations),
    ...controlHandlers(nouns),
    ...pageHandlers(nouns),
    ...consoleHandlers(nouns),
    ...inspectorHandlers(nouns),
    ...claimHandlers(nouns.claims),
    ...hitHandlers(nouns.hits),
    ...noteHandlers(nouns.notes),
    ...infoRequestHandlers(nouns.infoRequests),
    ...searchHandlers(nouns),
    ...accessLogHandlers(nouns),
    ...resetHandlers(nouns.reset),
  };
}
