/** Proxy configurations of a tenant and environment (contract §3.4, §11). */
import { SECRET_SHOWN } from '../../contract/facts/credentials.ts';
import type { ProxyConfiguration } from './endpoints.ts';
import type { EndpointKey, RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { orderedPage } from '../cursor.ts';
import { defined } from '../../kernel/defined.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId, withoutCredentials } from '../../kernel/ids/ids.ts';
import type { Database } from '../../storage/database.ts';
import { assigned, boolean, bytes, integer, type RowOf, table, text } from '../../storage/table.ts';
import { rowSeal } from '../../vault/grants/index.ts';
import { sealedCopy } from '../../vault/private-values.ts';
import { inSpace, type Space, spaceOf } from '../api-keys/service/index.ts';
import { answer, type Handlers, written, doneWriting } from '../handlers.ts';
import type { LiveSettings } from '../settings/service.ts';
import {
  type Configurations,
  describeCertificate,
  requireSendable,
  type StoredRequest,
} from '../vault-proxy/service/index.ts';
import type { Needs } from '../needs.ts';

// All SQL of stored proxy configurations. Times are epoch milliseconds.

const CONFIGURATIONS = table(
  'proxy_configurations',
  {
    seq: assigned,
    id: text,
    /** Row id. */
    space: integer,
    /** The origin of the target's URL; the only part stored in plain text. */
    origin: text,
    /** JSON, sealed for this id. */
    sealed_configuration: bytes,
    enabled: boolean,
    created_at: integer,
  },
  { key: ['id'], fixed: ['space', 'created_at'], seal: rowSeal('proxy_configurations') },
);

type ConfigurationRow = RowOf<typeof CONFIGURATIONS>;

const deleteConfiguration = CONFIGURATIONS.delete<[id: string]>('id = ?');

/** Throws `vault_damaged` when another program has changed it. */
const findConfiguration = CONFIGURATIONS.first<[id: string]>('WHERE id = ?');

/** Also returns a row that another program has changed, so that it can be deleted. */
const findAnyConfiguration = CONFIGURATIONS.unchecked.first<[id: string]>('WHERE id = ?');

/** Newest first. Throws `vault_damaged`. */
const configurationsOf = CONFIGURATIONS.page<{ space: number }, 'seq'>(
  'space = @space',
  { seq: 'number' },
  'DESC',
);

/** Throws `vault_damaged`. */
export const copyConfigurations = sealedCopy(CONFIGURATIONS.all('ORDER BY seq'), CONFIGURATIONS.insert);

type ProxyKeys = Extract<EndpointKey, `${string} /_kyclone/proxies${string}`>;

export type Proxies = ReturnType<typeof createProxies>;

export function createProxies(
  context: Needs<'queue' | 'clock' | 'random' | 'privateValues'> & { settings: LiveSettings },
) {
  const { queue, clock, random, settings, privateValues } = context;

  const opened = ({ id, sealed_configuration }: ConfigurationRow) =>
    JSON.parse(privateValues.open('proxy configuration', id, sealed_configuration)) as Configuration;

  /**
   * The columns for a configuration. Throws `invalid_request` and `transform_invalid`, naming the member for which a call
   * would be refused.
   */
  function columnsOf(id: string, configuration: Configuration) {
    requireSendable(configuration, settings.current.vocabulary.secret_key_header);
    return {
      origin: new URL(configuration.url).origin,
      sealed_configuration: privateValues.seal('proxy configuration', id, JSON.stringify(configuration)),
    };
  }

  const handlers: Handlers<ProxyKeys> = {
    'GET /_kyclone/proxies': ({ query }) => {
      const space = spaceOf(queue.database, query);
      const list = configurationsOf(queue.database, { space: space.space });
      return answer(orderedPage(query, { ...list, view: (row) => shown(space, row, opened(row)) }));
    },

    'POST /_kyclone/proxies': ({ query, body }) =>
      written(queue, (database) => {
        const space = spaceOf(database, query);
        const isTaken = (taken: string) => findAnyConfiguration(database, taken) !== undefined;
        const id = newId('proxyConfiguration', random, isTaken);
        const configuration = newConfiguration(body);
        const row = {
          id,
          space: space.space,
          ...columnsOf(id, configuration),
          enabled: body.enabled !== false,
          created_at: clock.now(),
        };
        CONFIGURATIONS.insert(database, row);
        return shown(space, row, configuration);
      }),

    'GET /_kyclone/proxies/{id}': ({ params, query }) => {
      const space = spaceOf(queue.database, query);
      const row = getConfiguration(queue.database, space, params.id);
      return answer(shown(space, row, opened(row)));
    },

    'PATCH /_kyclone/proxies/{id}': ({ params: { id }, query, body }) =>
      written(queue, (database) => {
        const space = spaceOf(database, query);
        const before = getConfiguration(database, space, id);
        const configuration = changedConfiguration(opened(before), body);
        const { enabled } = body;
        const row = { ...before, ...columnsOf(id, configuration), ...defined({ enabled }) };
        CONFIGURATIONS.update(database, row);
        return shown(space, row, configuration);
      }),

    'DELETE /_kyclone/proxies/{id}': ({ params, query }) =>
      doneWriting(queue, (database) => {
        // Also deletes a row that another program has changed, since it is unusable otherwise.
        const row = findAnyConfiguration(database, params.id);
        deleteConfiguration(database, inSpace(spaceOf(database, query), row, WHAT).id);
      }),
  };

  return {
    handlers,
    open: ((caller, id) => {
      const row = getConfiguration(queue.database, caller, id);
      return { enabled: row.enabled, request: opened(row) };
    }) satisfies Configurations['open'],
    /** Call it in the write job of a hard reset; a soft one keeps them. */
    reset: CONFIGURATIONS.delete(),
  };
}

function getConfiguration(database: Database, space: Pick<Space, 'space'>, id: string): ConfigurationRow {
  return inSpace(space, findConfiguration(database, id), WHAT);
}

const WHAT = 'proxy configuration';

/** Everything but its secrets; the certificate by subject and expiry. */
function shown(
  { tenant, environment }: Pick<Space, 'tenant' | 'environment'>,
  { id, enabled, created_at }: Pick<ConfigurationRow, 'id' | 'enabled' | 'created_at'>,
  configuration: Configuration,
): ProxyConfiguration {
  const { client_identity: identity, secret_headers, headers, pins, ingress, ...plain } = configuration;
  const certificate = identity && describeCertificate(identity.certificate);
  return {
    id,
    ...plain,
    headers: { ...headers },
    secret_headers: Object.fromEntries(
      Object.keys(secret_headers).map((name) => [name, SECRET_SHOWN] as const),
    ),
    ...(certificate && {
      client_identity: { subject: certificate.subject, expires_at: certificate.validTo.toISOString() },
    }),
    pins: [...pins],
    ingress: { content_type: ingress.content_type, rules: ingress.rules.map((rule) => ({ ...rule })) },
    tenant,
    environment,
    enabled,
    created_at: timestamp(created_at),
  };
}

// The forms of a proxy configuration: request and stored (contract §3.4). Pure.

interface Configuration extends StoredRequest {
  readonly name: string;
}

function newConfiguration(body: RequestOf<'POST /_kyclone/proxies'>['body']): Configuration {
  const { url } = body;
  const before: Configuration = {
    name: URL.canParse(url) ? new URL(url).host : '',
    url,
    method: 'POST',
    access_reason: '',
    headers: {},
    secret_headers: {},
    pins: [],
    ingress: { content_type: 'json', rules: [] },
  };
  return changedConfiguration(before, body);
}

/**
 * Given members replace the stored ones. The stored secrets are meant for one origin, so a change to another removes
 * those that the same change doesn't give.
 */
function changedConfiguration(
  before: Configuration,
  body: RequestOf<'PATCH /_kyclone/proxies/{id}'>['body'],
): Configuration {
  const {
    name,
    url = before.url,
    method,
    access_reason,
    headers,
    secret_headers: secrets,
    pins,
    ingress,
  } = body;
  const { client_identity: own, ...stored } = before;
  const isElsewhere = originOf(url) !== originOf(before.url);
  const kept = isElsewhere ? {} : before.secret_headers;
  const { client_identity: identity = isElsewhere ? undefined : own } = body;
  return {
    ...stored,
    url,
    ...defined({ name, method, access_reason, headers, pins }),
    secret_headers: secrets ? newSecrets(secrets, kept) : kept,
    ...(identity && { client_identity: identity }),
    ...(ingress && { ingress: { content_type: ingress.content_type ?? 'json', rules: ingress.rules } }),
  };
}

/** The placeholder keeps a stored secret; throws `invalid_request` when none is stored. */
function newSecrets(
  given: Readonly<Record<string, string>>,
  stored: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = new Map(Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (value !== SECRET_SHOWN) return [name, value];
      const kept = known.get(name.toLowerCase());
      if (kept !== undefined) return [name, kept];
      throw invalid(
        `secret_headers.${withoutCredentials(name)} is ${SECRET_SHOWN}, which stands for a stored value; none is stored for the origin of url: send the value`,
      );
    }),
  );
}

/** Undefined for a text that is no URL, which is refused later. */
function originOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
