/**
 * A write to a vault with files beside texts takes several calls: first one with all the texts, which are written
 * together or not at all, then one for each file, in the given order.
 */
import mime from 'mime';
import type { Client } from '../../../client/client.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { CliError, describeFailure, UsageError } from '../../../cli/shell/failure.ts';
import type { FileField } from '../../../cli/shell/fields.ts';
import { openSource, type FileSource } from '../../../cli/shell/files.ts';
import { luhnHeader } from '../../../cli/shell/flags.ts';

export interface OpenedFile {
  readonly identifier: string;
  readonly contentType: string;
  readonly source: FileSource;
}

export interface RequestedWrite {
  readonly id: string;
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly files: readonly OpenedFile[];
  readonly luhn: { readonly 'ignore-luhn': boolean };
  readonly before?: readonly string[];
}

/**
 * Opens all files before anything is sent, so that an unreadable path leaves nothing half written. Throws UsageError.
 */
export async function openFiles(fields: readonly FileField[]): Promise<OpenedFile[]> {
  const opened: OpenedFile[] = [];
  try {
    for (const { identifier, path } of fields) {
      const source = await openNamed(identifier, path);
      opened.push({ identifier, contentType: contentTypeOf(path), source });
    }
    return opened;
  } catch (error) {
    closeFiles(opened);
    throw error;
  }
}

export function closeFiles(files: readonly OpenedFile[]): void {
  for (const { source } of files) source.close();
}

async function openNamed(identifier: string, path: string | undefined): Promise<FileSource> {
  try {
    // `=@-` names a file; only `=-` is stdin.
    return await openSource(path === '-' ? './-' : (path ?? '-'));
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${identifier}: ${error.message}`, error.hint);
    throw error;
  }
}

function contentTypeOf(path: string | undefined): string {
  return (path === undefined ? null : mime.getType(path)) ?? 'application/octet-stream';
}

/** `--dry-run` shows one request, so a write with several requests is refused. Throws UsageError. */
export function requireOneCall(isDryRun: boolean, calls: number): void {
  if (!isDryRun || calls <= 1) return;
  throw new UsageError(
    `--dry-run shows one request, and this command sends ${calls}`,
    'use separate commands for the texts and for each file',
  );
}

export function callsOf({
  values,
  files,
}: {
  readonly values: object;
  readonly files: readonly unknown[];
}): number {
  return (Object.keys(values).length > 0 ? 1 : 0) + files.length;
}

/**
 * Writes, and returns the resulting version of the vault. Throws what the first call throws; after a successful call,
 * PartlyWrittenError.
 */
export async function writeVault(
  client: Client,
  { id, values, files, luhn, before = [] }: RequestedWrite,
): Promise<{ readonly body: Record<string, never>; readonly version: string | undefined }> {
  const headers = luhnHeader(luhn);
  const named = Object.keys(values);
  const calls = [
    ...(named.length > 0 ? [{ names: named, send: () => writeValues(client, id, { headers, values }) }] : []),
    ...files.map((file) => ({
      names: [file.identifier],
      send: () => uploadFile(client, id, { headers, file }),
    })),
  ];
  const written = [...before];
  let version: string | undefined;
  for (const [index, { names, send }] of calls.entries()) {
    try {
      version = (await send()).headers['x-fp-vault-version']?.toString();
    } catch (error) {
      if (written.length === 0) throw error;
      const missing = calls.slice(index).flatMap((call) => call.names);
      throw new PartlyWrittenError(error, written, missing);
    }
    written.push(...names);
  }
  return { body: {}, version };
}

export class PartlyWrittenError extends CliError {
  readonly summary: string;

  constructor(cause: unknown, written: readonly string[], missing: readonly string[]) {
    const { message, code, context, exitCode, requestId } = describeFailure(cause);
    const summary = `written: ${written.join(', ')}; not written: ${missing.join(', ')}`;
    super(message, { code, context, exitCode, requestId, hint: summary });
    this.summary = summary;
  }
}

type Headers = ReturnType<typeof luhnHeader>;

function writeValues(
  client: Client,
  id: string,
  { headers, values }: { headers: Headers; values: RequestedWrite['values'] },
) {
  const { key, params } = entityEndpoint('PATCH /{entity}/vault', id);
  return client.exchange(key, { params, headers, body: values });
}

function uploadFile(
  client: Client,
  id: string,
  { headers, file: { identifier, contentType, source } }: { headers: Headers; file: OpenedFile },
) {
  const file = { ...source, contentType };
  const { key, params } = entityEndpoint('POST /{entity}/vault/{identifier}/upload', id);
  return client.upload(key, { params: { ...params, identifier }, headers, file });
}
