/** Proxy configurations of a tenant and environment (contract §3.4, §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { timestamp, type Clock } from '../../kernel/clock.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../kernel/cursor.ts';
import { ServiceError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import { spaceOf, type Space } from '../api-keys/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import { requireSendable, type Configurations } from '../vault-proxy/index.ts';
import {
  changedConfiguration,
  newConfiguration,
  shownConfiguration,
  type Configuration,
} from './configuration.ts';
import {
  countConfigurations,
  deleteAllConfigurations,
  deleteConfiguration,
  findAnyConfiguration,
  findConfiguration,
  insertConfiguration,
  listConfigurations,
  updateConfiguration,
  type ConfigurationRow,
} from './repository.ts';

type Shown = AnswerOf<'GET /_kyclone/proxies/{id}'>;
type SpaceQuery = RequestOf<'GET /_kyclone/proxies/{id}'>['query'];

/** All functions with an id also throw `not_found` for one of another tenant or environment. */
export interface Proxies extends Configurations {
  /** Newest first. */
  list(query: RequestOf<'GET /_kyclone/proxies'>['query']): AnswerOf<'GET /_kyclone/proxies'>;
  /** Throws `invalid_request` and `transform_invalid`, naming the member for which a call would be refused. */
  create(query: SpaceQuery, body: RequestOf<'POST /_kyclone/proxies'>['body']): Promise<Shown>;
  get(id: string, query: SpaceQuery): Shown;
  /** Throws as `create` does. */
  change(
    id: string,
    query: SpaceQuery,
    body: RequestOf<'PATCH /_kyclone/proxies/{id}'>['body'],
  ): Promise<Shown>;
  remove(id: string, query: SpaceQuery): Promise<void>;
  /** Call it in the write job of a hard reset; a soft one keeps them. */
  reset(database: Database): void;
}

export function createProxies(context: {
  queue: WriteQueue;
  clock: Clock;
  random: Randomness;
  settings: LiveSettings;
  privateValues: PrivateValues;
}): Proxies {
  const { queue, clock, random, settings, privateValues } = context;

  const opened = ({ id, sealed_configuration }: ConfigurationRow) =>
    JSON.parse(privateValues.open('proxy configuration', id, sealed_configuration)) as Configuration;

  /** The columns for a configuration. Throws as `create` does. */
  function columnsOf(id: string, configuration: Configuration) {
    requireSendable(configuration, settings.current.vocabulary.secret_key_header);
    return {
      origin: new URL(configuration.url).origin,
      sealed_configuration: privateValues.seal('proxy configuration', id, JSON.stringify(configuration)),
    };
  }

  function view({ tenant, environment }: Space, row: ConfigurationRow): Shown {
    return shown({ tenant, environment }, row, opened(row));
  }

  return {
    list(query) {
      const space = spaceOf(queue.database, query);
      const size = pageSize(query.page_size);
      const after =
        query.cursor === undefined ? undefined : { seq: decodeCursor(query.cursor, ['number'])[0] };
      return cursorPage(listConfigurations(queue.database, space, { after, limit: size }), {
        size,
        count: countConfigurations(queue.database, space.space),
        cursorOf: ({ seq }) => encodeCursor(seq),
        view: (row) => view(space, row),
      });
    },

    create: (query, body) =>
      queue.write((database) => {
        const space = spaceOf(database, query);
        const id = newId(
          'proxyConfiguration',
          random,
          (taken) => findAnyConfiguration(database, taken) !== undefined,
        );
        const configuration = newConfiguration(body);
        const row = {
          id,
          space: space.space,
          ...columnsOf(id, configuration),
          enabled: body.enabled !== false,
          created_at: clock.now(),
        };
        insertConfiguration(database, row);
        return shown(space, row, configuration);
      }),

    get(id, query) {
      const space = spaceOf(queue.database, query);
      return view(space, getConfiguration(queue.database, space, id));
    },

    change: (id, query, body) =>
      queue.write((database) => {
        const space = spaceOf(database, query);
        const before = getConfiguration(database, space, id);
        const configuration = changedConfiguration(opened(before), body);
        const row = {
          ...before,
          ...columnsOf(id, configuration),
          ...(body.enabled !== undefined && { enabled: body.enabled }),
        };
        updateConfiguration(database, row);
        return shown(space, row, configuration);
      }),

    remove: (id, query) =>
      queue.write((database) => {
        // Also deletes a row that another program has changed, since it is unusable otherwise.
        deleteConfiguration(
          database,
          placed(findAnyConfiguration(database, id), spaceOf(database, query)).id,
        );
      }),

    open(caller, id) {
      const row = getConfiguration(queue.database, caller, id);
      return { enabled: row.enabled, request: opened(row) };
    },

    reset: deleteAllConfigurations,
  };
}

function getConfiguration(database: Database, space: Pick<Space, 'space'>, id: string): ConfigurationRow {
  return placed(findConfiguration(database, id), space);
}

function placed(row: ConfigurationRow | undefined, { space }: Pick<Space, 'space'>): ConfigurationRow {
  if (row?.space === space) return row;
  throw new ServiceError('not_found', 'No proxy configuration of this tenant and environment has this id');
}

function shown(
  { tenant, environment }: Pick<Space, 'tenant' | 'environment'>,
  { id, enabled, created_at }: Pick<ConfigurationRow, 'id' | 'enabled' | 'created_at'>,
  configuration: Configuration,
): Shown {
  return {
    id,
    ...shownConfiguration(configuration),
    tenant,
    environment,
    enabled,
    created_at: timestamp(created_at),
  };
}
