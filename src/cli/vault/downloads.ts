/** Downloads one datum of a vault, with a given token or with a new one. */
import type { Client } from '../../client/client.ts';
import { entityEndpoint } from '../../client/entity-endpoint.ts';
import type { FileTarget } from '../shell/files.ts';
import { NO_PROGRESS, showProgress } from '../shell/output.ts';
import type { SavedFile } from './view.ts';

/** The shortest lifetime that the daemon grants; a token made here is used at once. */
const TOKEN_TTL_SECONDS = 60;

interface Named {
  readonly id: string;
  readonly identifier: string;
  readonly reason: string;
}
/** The reason is for a token that has none of its own. */
type Datum = Named | { readonly token: string; readonly reason: string | undefined };

/** Streams the datum to the target. Requests nothing before the target is ready. */
export async function receiveFile(
  datum: Datum,
  { client, target, isWatched }: { client: Client; target: FileTarget; isWatched: boolean },
): Promise<SavedFile> {
  let received = 0;
  let progress = NO_PROGRESS;
  const onProgress = (bytes: number) => {
    received = bytes;
    progress.update(bytes);
  };
  try {
    const { contentType, name } = await target.fill(async () => {
      const download =
        'token' in datum
          ? await client.download(datum.token, { reason: datum.reason, onProgress })
          : await client.download(await tokenFor(datum, client), { onProgress });
      const { bytes } = download;
      progress = await showProgress({ title: 'Downloading', bytes, isWanted: isWatched });
      return download;
    });
    const identifier = 'token' in datum ? (name ?? null) : datum.identifier;
    return { identifier, content_type: contentType, bytes: received, path: target.path ?? null };
  } finally {
    progress.end();
  }
}

async function tokenFor({ id, identifier, reason }: Named, client: Client): Promise<string> {
  const body = {
    scope: 'decrypt_download' as const,
    fields: [identifier],
    ttl: TOKEN_TTL_SECONDS,
    decrypt_reason: reason,
  };
  const { key, params } = entityEndpoint('POST /{entity}/client_token', id);
  const { token } = await client.call(key, { params, body });
  return token;
}
