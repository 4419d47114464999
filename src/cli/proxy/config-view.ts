/** Stored proxy configurations for people. */
import type { AnswerOf } from '../../contract/registry.ts';
import { facts, table, yesNo } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { moreView } from '../entities/view.ts';

type Configuration = AnswerOf<'GET /_kyclone/proxies/{id}'>;

export function configView(configuration: Configuration, style: Style): string {
  const { headers, secret_headers: secrets, client_identity: identity, pins, ingress } = configuration;
  return facts(
    {
      configuration: configuration.id,
      name: configuration.name,
      target: `${configuration.method} ${configuration.url}`,
      reason: configuration.access_reason === '' ? null : configuration.access_reason,
      headers: lines(headers),
      'secret headers': lines(secrets),
      'client certificate': identity ? `${identity.subject}, until ${identity.expires_at}` : null,
      'pinned certificates': pins.length === 0 ? null : String(pins.length),
      ingress: ingress.rules.map(({ token, target }) => `${token} = ${target}`),
      tenant: configuration.tenant,
      environment: configuration.environment,
      enabled: configuration.enabled ? 'yes' : 'no',
      created: configuration.created_at,
    },
    style,
  );
}

export function configListView({ data, meta }: AnswerOf<'GET /_kyclone/proxies'>, style: Style): string {
  const rows = data.map(({ id, enabled, name, method, url }) => [
    id,
    yesNo(enabled),
    `${name}, ${method} ${url}`,
  ]);
  const headings = ['ID', 'ENABLED', 'NAME AND TARGET'];
  const list = table(headings, rows, style, 'No proxy configurations', true);
  return [list, ...moreView(meta, data.length, style)].join('\n');
}

function lines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
