/**
 * The token grammar of the vault proxy (contract §3.1): `[<entity>.]<identifier>[:<version>] [| <chain>]`, the text
 * between two pairs of braces. One pass, no backtracking. Messages repeat the entity and the identifier, never the text
 * after them, which may contain a key.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { withoutCredentials } from '../../kernel/ids.ts';
import {
  describeIdentifier,
  parseIdentifierReference,
  type IdentifierReference,
} from '../../vault/identifiers/index.ts';
import {
  bindTransforms,
  ChainSyntaxError,
  scanChain,
  scanInteger,
  skipSpace,
  TransformBudget,
  type Scanned,
  type Transform,
  type TransformCall,
} from '../../vault/transforms/index.ts';

/** One token of a body, with its datum and transforms. */
export interface ProxyToken {
  /** Its entity, or that of x-fp-id. */
  readonly fpId: string;
  /** Its text is the identifier, with the version if there is one. */
  readonly reference: IdentifierReference;
  readonly transforms: readonly Transform[];
  /**
   * `<entity>.<identifier>[:<version>]` in the form of errors, the journal and explanations: without transforms and
   * credentials, and cut if it is longer than any valid name.
   */
  readonly name: string;
}

const ENTITY_START = 'fp_';
const FAMILY_STARTS = [
  'id.',
  'custom.',
  'investor_profile.',
  'document.',
  'card.',
  'bank.',
  'business.',
] as const;

/**
 * Whether the text between braces, from `start` on, has the shape of a token (contract §3.3), even if it doesn't parse.
 */
export function isTokenShaped(text: string, start = 0): boolean {
  const at = skipSpace(text, start);
  return text.startsWith(ENTITY_START, at) || FAMILY_STARTS.some((family) => text.startsWith(family, at));
}

/**
 * Parses the text between the braces, including inner spaces. `defaultEntity` is that of x-fp-id, `budget` that of the
 * request. Throws ServiceError `proxy_token_invalid`, or `transform_invalid` when only its transforms are wrong; the
 * message names the token.
 */
export function parseToken(
  text: string,
  defaultEntity: string | undefined,
  budget = new TransformBudget(),
): ProxyToken {
  const { entity, identifier, version, calls } = scanToken(text);
  if (describeIdentifier(identifier) === undefined) throw invalidToken(text, 'unknown identifier');
  const fpId = entity ?? defaultEntity;
  if (fpId === undefined) throw invalidToken(text, 'names no entity, and there is no header x-fp-id');
  const reference = parseIdentifierReference(version === undefined ? identifier : `${identifier}:${version}`);
  const name = shownName(`${fpId}.${reference.text}`);
  return { fpId, reference, transforms: bindTokenTransforms(text, calls, budget), name };
}

/** The error of an unusable token: it has the token's name as written, and nothing else from it. */
export function invalidToken(text: string, problem: string): ServiceError {
  return new ServiceError('proxy_token_invalid', problemOf(text, problem));
}

interface ScannedToken {
  readonly entity: string | undefined;
  readonly identifier: string;
  readonly version: string | undefined;
  readonly calls: readonly TransformCall[];
}

function scanToken(text: string): ScannedToken {
  const entity = scanEntity(text, skipSpace(text, 0));
  const identifier = scanIdentifier(text, entity.end);
  const version = scanVersion(text, identifier.end);
  const at = skipSpace(text, version.end);
  const { chain, end } = text[at] === '|' ? scanTokenChain(text, at + 1) : { chain: [], end: at };
  if (end < text.length) throw invalidToken(text, `a | or the end is expected at character ${end + 1}`);
  return { entity: entity.value, identifier: identifier.value, version: version.value, calls: chain };
}

/** Reads `<entity>.` if the token has one. */
function scanEntity(text: string, at: number): Scanned<string | undefined> {
  if (!text.startsWith(ENTITY_START, at)) return { value: undefined, end: at };
  let end = at + ENTITY_START.length;
  while (isWordCharacter(text[end])) end++;
  if (text[end] !== '.') throw invalidToken(text, 'a dot and an identifier are expected behind the entity');
  return { value: text.slice(at, end), end: end + 1 };
}

function scanIdentifier(text: string, at: number): Scanned<string> {
  let end = at;
  while (isIdentifierCharacter(text[end])) end++;
  return { value: text.slice(at, end), end };
}

function scanVersion(text: string, at: number): Scanned<string | undefined> {
  if (text[at] !== ':') return { value: undefined, end: at };
  const version = scanInteger(text, at + 1);
  if (version === undefined) throw invalidToken(text, 'the number of a version is expected behind the colon');
  return version;
}

/** A chain that doesn't parse makes the whole token invalid. */
function scanTokenChain(text: string, at: number): ReturnType<typeof scanChain> {
  try {
    return scanChain(text, at);
  } catch (error) {
    if (!(error instanceof ChainSyntaxError)) throw error;
    throw invalidToken(text, error.message);
  }
}

function bindTokenTransforms(
  text: string,
  calls: readonly TransformCall[],
  budget: TransformBudget,
): Transform[] {
  try {
    return bindTransforms(calls, budget);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, problemOf(text, withoutCredentials(error.message)));
  }
}

function problemOf(text: string, problem: string): string {
  const at = skipSpace(text, 0);
  let end = at;
  while (isNameCharacter(text[end])) end++;
  return end === at ? `Token: ${problem}` : `Token ${shownName(text.slice(at, end))}: ${problem}`;
}

/** Long enough for the longest identifier with an entity and a version; ids of entities have at most 29 characters. */
const NAME_CHARACTERS = 256;

function shownName(name: string): string {
  const cut = name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS)}…` : name;
  return withoutCredentials(cut);
}

type Character = string | undefined;

const isWordCharacter = (character: Character): boolean =>
  character !== undefined && /[A-Za-z0-9_]/.test(character);
const isIdentifierCharacter = (character: Character): boolean =>
  isWordCharacter(character) || character === '.' || character === '-';
const isNameCharacter = (character: Character): boolean =>
  isIdentifierCharacter(character) || character === ':';
