/** The inspector's link to a daemon over Node's network: its stream, and its typed client. */
import { STREAM_TYPES } from '../../nouns/control/facts.ts';
import { createClient, type Connection } from '../../client/client.ts';
import { openStream } from '../../client/event-stream.ts';
import { followDaemon, type Found as FoundBy, type FollowOptions, type Link } from './follow.ts';
import { sourceOf, type Source, type TenantEnvironment } from './source.ts';

export type Found = FoundBy<Connection>;

export interface DaemonLinkOptions extends Pick<
  FollowOptions<Connection>,
  'first' | 'find' | 'ownVersion' | 'report'
> {
  readonly environment: TenantEnvironment['environment'];
}

export function createLink({ environment, ...options }: DaemonLinkOptions): Link {
  return followDaemon({
    ...options,
    open: (connection, signal) => openStream(connection, { types: STREAM_TYPES, signal }),
    sourceOf: (connection, requester) => createSource({ ...connection, ...requester }, environment),
  });
}

export function createSource(connection: Connection, environment: TenantEnvironment['environment']): Source {
  const isOwnKey = (prefix: string) => connection.apiKey?.startsWith(prefix) === true;
  return sourceOf(createClient(connection), { tenant: 'default', environment }, isOwnKey);
}
