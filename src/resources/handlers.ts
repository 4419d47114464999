import type { Answer, HandlersOf } from '../contract/handler.ts';
import type { EndpointKey } from '../contract/registry.ts';
import type { Caller, FlowCaller, TokenCaller } from './api-keys/caller.ts';
import type { EntityRow } from './entities/repository.ts';

/** Handlers of these endpoint keys; one that is missing doesn't compile. */
export type Handlers<Keys extends EndpointKey> = HandlersOf<
  Keys,
  { key: Caller; token: TokenCaller; flow: FlowCaller; entity: EntityRow }
>;

/** The keys of the registry that begin with a method and path, such as every one under `/users/{fp_id}/vault`. */
export type KeysUnder<Path extends string> = Extract<
  EndpointKey,
  `${string} ${Path}` | `${string} ${Path}/${string}`
>;

export function answer<Body>(body: Body, headers?: Record<string, string>): Answer<Body> {
  return headers ? { body, headers } : { body };
}

/** An answer with the version of the vault it is about (contract §0.11). */
export function vaultAnswer<Body>(body: Body, version: number): Answer<Body> {
  return { body, headers: { 'x-fp-vault-version': String(version) } };
}

/** A file to be saved, not shown: it may hold anything, script included (contract §2.6). */
export function fileAnswer<Body>(
  name: string,
  file: { content: Body; contentType: string; bytes: number },
): Answer<Body> {
  return {
    body: file.content,
    headers: {
      'content-type': file.contentType,
      'content-length': String(file.bytes),
      // Identifiers are letters, digits, dots, hyphens and underscores.
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    },
  };
}
