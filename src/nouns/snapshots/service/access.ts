/**
 * Access in an imported snapshot: credentials (API keys, client tokens), data receivers (webhook endpoints, proxy
 * configurations) and access settings (hosts, origins, egress). It is left out unless requested, and a load then keeps
 * that of the instance.
 */
import type { AnswerOf } from '../../../contract/registry.ts';
import type { Database } from '../../../storage/database.ts';
import { findSettings, storeSettings, updateGrantList } from '../../../vault/grants/index.ts';
import type { Keyring } from '../../../vault/keyring/index.ts';
import { createPrivateValues, type PrivatePurpose } from '../../../vault/private-values.ts';
import { copyApiKeys, type Space } from '../../api-keys/service/index.ts';
import { withAccessOf } from '../../settings/service.ts';
import { copyConfigurations } from '../../proxies/service.ts';
import { copyWebhooks } from '../../webhooks/service/index.ts';
import {
  countBroughtTokens,
  findBroughtSettings,
  leaveAccessBehind,
  listBroughtKeys,
  listBroughtTargets,
  listBroughtUrls,
} from './access-repository.ts';

export type BroughtAccess = AnswerOf<'PUT /_kyclone/snapshots/{name}/content'>['access'];

/** For an imported draft: returns its access, and removes it unless requested. */
export function judgeAccess(database: Database, { isWanted }: { isWanted: boolean }): BroughtAccess {
  const settings = withAccessOf(findBroughtSettings(database), undefined);
  const access = {
    api_keys: listBroughtKeys(database),
    client_tokens: countBroughtTokens(database),
    webhooks: [...new Set(listBroughtUrls(database).map((url) => originOf(url)))],
    proxies: listBroughtTargets(database),
    hosts: settings.hosts,
    origins: settings.cors.origins,
    egress_policy: settings.egress.policy,
    extra_roots: settings.egress.extra_roots.length,
    forwards: settings.partner_b.forward,
    taken: isWanted,
  };
  if (!isWanted) leaveAccessBehind(database);
  return access;
}

export interface OpenStore {
  readonly database: Database;
  readonly keyring: Keyring;
}

/** Copies the access of the current store to the one that will replace it. */
export function keepAccess(
  from: OpenStore,
  to: OpenStore,
  onNewSpace: (database: Database, space: Space) => void,
): void {
  const settings = withAccessOf(findBroughtSettings(to.database), findSettings(from.database) ?? '{}');
  storeSettings(to.database, JSON.stringify(settings));
  const spaces = copyApiKeys(from.database, to.database, onNewSpace);
  const [sealed, open] = [from, to].map(({ keyring }) =>
    createPrivateValues(keyring.instanceKey('private values')),
  );
  if (sealed && open) {
    const resealFor = (purpose: PrivatePurpose) => (id: string, value: Uint8Array) =>
      open.seal(purpose, id, sealed.open(purpose, id, value));
    copyWebhooks(from.database, to.database, { spaces, reseal: resealFor('webhook secret') });
    copyConfigurations(from.database, to.database, { spaces, reseal: resealFor('proxy configuration') });
  }
  updateGrantList(to.database);
}

/** Path and query may contain a secret. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'unreadable';
}
