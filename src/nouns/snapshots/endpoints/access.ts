/** Describes the access in a snapshot, for people; separate from the schemas, which a command need not load. */
import { countText } from '../../../kernel/count-text.ts';
import type { SnapshotAccess } from './index.ts';

/** The access that a file grants, in words and without values; empty when there is none. */
export function accessText(access: SnapshotAccess): string {
  const parts = [
    ...(access.api_keys.length > 0 ? [countText('api_keys', access.api_keys.length)] : []),
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
