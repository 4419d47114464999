/**
 * The token grammar of the vault proxy (contract §3.1): `[<entity>.]<identifier>[:<version>] [| <chain>]`, the text
 * between two pairs of braces. One pass, no backtracking. Messages repeat the entity and the identifier, never what
 * follows them, which may hold a key.
 */
import { ServiceError } from '../../kernel/errors.ts';
import { withoutCredentials } from '../../kernel/redaction.ts';
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

/** One token of a body: its datum and its transforms. */
export interface ProxyToken {
  /** The entity it names, or that of x-fp-id. */
  readonly fpId: string;
  /** Its text is the identifier, with the version if there is one. */
  readonly reference: IdentifierReference;
  readonly transforms: readonly Transform[];
  /**
   * `<entity>.<identifier>[:<version>]`, as errors, the journal and explanations show it: without transforms and
   * credentials, cut when nothing real is as long.
   */
  readonly name: string;
}

const ENTITY_START = 'fp_';
const FAMILY_STARTS = [
  ...['id.', 'custom.', 'investor_profile.', 'document.'],
  ...['card.', 'bank.', 'business.'],
] as const;

/**
 * Whether the text between braces, from `start` on, is a token (contract §3.3); whether it parses is another
 * question.
 */
export function isTokenShaped(text: string, start = 0): boolean {
  const at = skipSpace(text, start);
  return text.startsWith(ENTITY_START, at) || FAMILY_STARTS.some((family) => text.startsWith(family, at));
}

/**
 * Reads the text between the braces, inner spaces included. `defaultEntity` is that of x-fp-id, `budget` that of the
 * request. Throws ServiceError
 * `proxy_token_invalid`, or `transform_invalid` when only its transforms are wrong; the message names the token.
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

/** The error of a token that can't be used: it says the token's name as it is written, and nothing else of it. */
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

/** Reads `<entity>.` where a token has one. */
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

/** A chain that doesn't parse makes the token one that doesn't. */
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

/** The longest identifier, its entity and a version fit; the ids of entities have 29 characters at most. */
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
