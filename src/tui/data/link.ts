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
  readonly space: TenantEnvironment;
}

export function createLink({ space, ...options }: DaemonLinkOptions): Link {
  return followDaemon({
    ...options,
    open: (connection, signal) => openStream(connection, { types: STREAM_TYPES, signal }),
    sourceOf: (connection, requester) => createSource({ ...connection, ...requester }, space),
  });
}

export function createSource(connection: Connection, space: TenantEnvironment): Source {
  const isOwnKey = (prefix: string) => connection.apiKey?.startsWith(prefix) === true;
  return sourceOf(createClient(connection), space, isOwnKey);
}
