/** How a snapshot is named, and described to people (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { countText } from '../../kernel/text/count-text.ts';
import { localKeyName } from '../api-keys/facts.ts';
import { MIB } from '../../kernel/numbers/units.ts';

type Snapshot = AnswerOf<'GET /_kyclone/snapshots'>['data'][number];
type Access = AnswerOf<'PUT /_kyclone/snapshots/{name}/content'>['access'];

export const SNAPSHOT_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

export function sizeText({ bytes }: Pick<Snapshot, 'bytes'>): string {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;
}

/** What it holds, such as `2 users`; nothing for an empty one. */
export function heldTexts({ counts }: Pick<Snapshot, 'counts'>): string[] {
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [countText(what, count)] : []));
}

/**
 * The access that a file grants, in words and without values; empty when there is none. The keys that every instance has
 * count only if they were taken.
 */
export function accessText(access: Access): string {
  const keys = access.api_keys.filter(
    ({ name, environment }) => access.taken || name !== localKeyName(environment),
  );
  const parts = [
    ...(keys.length > 0 ? [countText('api_keys', keys.length)] : []),
    ...(access.client_tokens > 0 ? [countText('client_tokens', access.client_tokens)] : []),
    ...(access.webhooks.length > 0 ? [`webhooks to ${access.webhooks.join(', ')}`] : []),
    ...(access.proxies.length > 0 ? [`proxy configurations to ${access.proxies.join(', ')}`] : []),
    ...(access.hosts.length > 0 ? [`hosts ${access.hosts.join(', ')}`] : []),
    ...(access.origins.length > 0 ? [`origins ${access.origins.join(', ')}`] : []),
    ...(access.egress_policy === 'open' ? ['egress policy open'] : []),
    ...(access.extra_roots > 0 ? [countText('extra_roots', access.extra_roots)] : []),
    ...(access.forwards ? ['partner_b.forward'] : []),
  ];
  return parts.join('; ');
}
