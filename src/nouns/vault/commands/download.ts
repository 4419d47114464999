/** Downloads one datum of a vault, with a given token or with a new one. */
import { boolean, string } from '@oclif/core/flags';
import type { Client } from '../../../client/client.ts';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { chooseTarget, type FileTarget } from '../../../cli/shell/files.ts';
import {
  liveFlag,
  needing,
  optionalDatumArgs,
  quietFlag,
  reasonFlag,
  reasonOf,
} from '../../../cli/shell/flags.ts';
import { NO_PROGRESS, showProgress } from '../../../cli/shell/output.ts';
import { savedFileView, type SavedFile } from './view.ts';

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
async function receiveFile(
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

class VaultDownload extends BaseCommand<SavedFile> {
  static override summary =
    'Decrypt one value to a file or to stdout, with a reason that goes into the access log';
  static override examples = [
    'fp_id_… document.passport.front.image --reason "support case 4711" --out front.png',
    'echo $TOKEN | <%= config.bin %> vault download --token - > letter.pdf',
  ];
  static override args = optionalDatumArgs;
  static override flags = {
    reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
    out: string({ summary: 'the file to write; - for stdout even on a terminal', helpValue: 'FILE' }),
    force: needing(boolean({ summary: 'replace an existing file' }), 'out'),
    token: string({
      summary: 'a decrypt_download token instead of id and identifier: - for stdin, ? to be asked, @FILE',
      helpValue: 'TOKEN',
      exclusive: ['live'],
    }),
    ...quietFlag,
    ...liveFlag,
  };

  async run(): Promise<SavedFile> {
    const { args, flags } = await this.parse(VaultDownload);
    const { fp_id: id, identifier } = args;
    const isNamed = id !== undefined && identifier !== undefined;
    if (isNamed === (flags.token !== undefined) || (id !== undefined && !isNamed))
      throw new UsageError('Name an id and one identifier, or give --token');
    const { client, input, isForPeople } = this;
    const target = chooseTarget({
      out: flags.out,
      mayReplace: flags.force,
      isData: !isForPeople && !this.isDryRun,
    });
    const datum = isNamed
      ? { id, identifier, reason: await reasonOf(flags.reason, input) }
      : { token: await input.secret(flags.token ?? '?', 'Client token'), reason: flags.reason };
    const saved = await receiveFile(datum, { client, target, isWatched: !flags.quiet && isForPeople });
    return this.present(saved, savedFileView);
  }
}

export default { 'vault:download': VaultDownload };
