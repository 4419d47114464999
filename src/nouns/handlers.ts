import { LOOPBACK_HOSTS } from './requests/facts.ts';
import type { Answer, HandlersOf } from '../contract/handler.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { Database } from '../storage/database.ts';
import type { WriteQueue } from '../storage/writer.ts';
import type { Caller, FlowCaller, TokenCaller } from './api-keys/service/operations.ts';
import type { EntityRow } from './entities/service/repository.ts';

/** Handlers of these endpoint keys; a missing one is a type error. */
export type Handlers<Keys extends EndpointKey> = HandlersOf<
  Keys,
  { key: Caller; token: TokenCaller; flow: FlowCaller; entity: EntityRow }
>;

/** The keys of the registry below a path, such as everything under `/users/{fp_id}/vault`. */
export type KeysUnder<Path extends string> = Extract<
  EndpointKey,
  `${string} ${Path}` | `${string} ${Path}/${string}`
>;

export function answer<Body>(body: Body, headers?: Record<string, string>): Answer<Body> {
  return headers ? { body, headers } : { body };
}

/** Answers with an empty object once the work is done. */
export async function done(work: Promise<unknown>): Promise<Answer<object>> {
  await work;
  return answer({});
}

/** The response of work that returns its body. */
export async function answered<Body>(work: Promise<Body>): Promise<Answer<Body>> {
  return answer(await work);
}

/** Answers with what a write job returns. */
export function written<Body>(
  queue: Pick<WriteQueue, 'write'>,
  run: (database: Database) => Body,
): Promise<Answer<Body>> {
  return answered(queue.write(run));
}

/** Answers with an empty object after a write job. */
export function doneWriting(
  queue: Pick<WriteQueue, 'write'>,
  run: (database: Database) => unknown,
): Promise<Answer<object>> {
  return done(queue.write(run));
}

/** A response with the version of the vault (contract §0.11). */
export function vaultAnswer<Body>(
  body: Body,
  version: number,
  headers: Record<string, string> = {},
): Answer<Body> {
  return { body, headers: { 'x-fp-vault-version': String(version), ...headers } };
}

/** A file as an attachment, which browsers save instead of display, since it may contain scripts (contract §2.6). */
export function fileAnswer<Body>(
  name: string,
  file: { content: Body; contentType: string; bytes: number },
): Answer<Body> {
  return {
    body: file.content,
    headers: {
      'content-type': file.contentType,
      'content-length': String(file.bytes),
      'content-disposition': `attachment; ${filename(name)}`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
}

/** A name that isn't plain, such as `custom.Straße`, as RFC 6266 has it. */
function filename(name: string): string {
  const isPlain = /^[\w.-]+$/.test(name);
  return isPlain ? `filename="${name}"` : `filename="file"; filename*=UTF-8''${encodeURIComponent(name)}`;
}

/** The guards have already checked that there is exactly one, and that it is ours. */
export function hostOf(rawHeaders: readonly string[]): string {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  return rawHeaders[at + 1] ?? '';
}

/**
 * A link of a hosted flow for the caller's browser: when the caller came by a loopback name and a port that is mapped to
 * the instance's, as to a container's, the link leads there (contract §0.1).
 */
export function linkByHost<Linked extends { readonly link: string }>(
  { rawHeaders }: { readonly rawHeaders: readonly string[] },
  linked: Linked,
): Linked {
  const [, name = '', port] = /^(.*?):(\d{1,5})$/.exec(hostOf(rawHeaders)) ?? [];
  const url = new URL(linked.link);
  if (port === undefined || port === url.port || !LOOPBACK_HOSTS.includes(name.toLowerCase())) return linked;
  url.host = `${name}:${port}`;
  return { ...linked, link: url.href };
}
