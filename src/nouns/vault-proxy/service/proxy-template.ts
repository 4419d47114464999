/**
 * A body with tokens (contract §3.3). Text outside of tokens stays byte for byte the same, inserted values are never
 * searched again, and the time is linear in the size of the body.
 *
 * The body is searched as latin1, so that positions are those of bytes; the text of a token is then decoded as UTF-8.
 */
import { ServiceError } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import { StreamedText } from '../../../kernel/text/streamed-text.ts';
import {
  bindTransforms,
  ChainSyntaxError,
  scanChain,
  skipSpace,
  type Transform,
  TransformBudget,
} from '../../../vault/transforms/index.ts';
import {
  escapedPieces,
  type Escaping,
  escapingOf,
  type FilledBody,
  formEncoded,
  JsonStrings,
  type TokenContext,
  unescapeJson,
} from './body-format.ts';
import { withoutCredentials } from '../../../kernel/ids/ids.ts';
import {
  describeIdentifier,
  type IdentifierReference,
  parseIdentifierReference,
} from '../../../vault/identifiers/index.ts';

export type ProxyTemplate = ReturnType<typeof parseTemplate>;

/** Contract §0.10. */
const TOKENS_PER_BODY = 100;

const OPEN = '{{';
const CLOSE = '}}';

/**
 * Finds and parses the tokens of a body that is sent as `contentType`; `defaultEntity` is that of x-fp-id. Throws
 * ServiceError `proxy_token_invalid`, `transform_invalid` or `proxy_too_many_tokens`; a message names the token and the
 * byte at which it begins, counted from 1.
 */
export function parseTemplate(
  body: Buffer,
  options: { contentType: string | undefined; defaultEntity: string | undefined; budget?: TransformBudget },
) {
  const slots: Slot[] = [];
  let end = 0;
  for (const span of findTokens(body.toString('latin1'), escapingOf(options.contentType))) {
    if (slots.length === TOKENS_PER_BODY) {
      throw new ServiceError('proxy_too_many_tokens', `The body has more than ${TOKENS_PER_BODY} tokens`);
    }
    const token = readToken(body, span, options);
    slots.push({ before: body.subarray(end, span.start), token, ...span });
    end = span.end;
  }
  const rest = body.subarray(end);
  const pieces = (values: readonly (JsonValue | StreamedText)[]) => fill({ slots, rest }, values);
  return {
    /** In the order of the body, including repetitions. */
    tokens: slots.map(({ token }) => token),
    /** The same in pieces; those of values have a bounded size, and a streamed file is one piece. */
    pieces,
    /** Where each token stands, in the order of `tokens`. */
    places: slots.map(({ place }) => place),
    /** The body as latin1 text with a blank for each byte of a token. */
    outside: (): string => {
      const parts = slots.map(
        ({ before, start, end: to }) => before.toString('latin1') + ' '.repeat(to - start),
      );
      return parts.join('') + rest.toString('latin1');
    },
    /** The body with `values`, by position in `tokens`: already transformed, files as base64 text. */
    render: (values: readonly JsonValue[]): Buffer => Buffer.concat([...pieces(values)] as Buffer[]),
  };
}

/** A token, and the text between it and the previous one. */
interface Slot {
  readonly before: Buffer;
  readonly token: ProxyToken;
  readonly place: TokenContext;
  readonly start: number;
  readonly end: number;
}

function* fill(
  { slots, rest }: { slots: readonly Slot[]; rest: Buffer },
  values: readonly (JsonValue | StreamedText)[],
): Generator<FilledBody, void, void> {
  for (const [index, { before, token, place }] of slots.entries()) {
    const value = values[index];
    if (value === undefined) throw new TypeError('a template needs a value for each of its tokens');
    yield before;
    if (value instanceof StreamedText) {
      yield place === 'form' ? formEncoded(value) : value;
      continue;
    }
    const isWrapped = token.transforms.at(-1)?.name === 'wrap_quotes';
    for (const piece of escapedPieces(value, place, { isWrapped })) yield Buffer.from(piece, 'utf8');
  }
  yield rest;
}

/** The place of a token, including its braces. */
export interface TokenSpan {
  readonly start: number;
  readonly end: number;
  readonly place: TokenContext;
  /** A preceding backslash would make the first character of its value part of an escape. */
  readonly isBehindOpenEscape: boolean;
}

/**
 * The tokens of a text, in order. Braces without a token are skipped by one character, since a token may be inside of
 * them. Each search scans the text once: the next `}}` after many `{{` is searched a single time.
 */
export function* findTokens(text: string, escaping: Escaping): Generator<TokenSpan, void> {
  const strings = escaping === 'json' ? new JsonStrings(text) : undefined;
  let from = 0;
  let close = 0;
  for (;;) {
    const start = text.indexOf(OPEN, from);
    if (start === -1) return;
    const inner = start + OPEN.length;
    if (close < inner) close = text.indexOf(CLOSE, inner);
    if (close === -1) return;
    const isInString = strings?.contain(start) ?? false;
    if (!isTokenShaped(text, isInString ? skipEscapedSpace(text, inner) : inner)) {
      from = start + 1;
      continue;
    }
    const end = close + CLOSE.length;
    const isBehindOpenEscape = strings?.leaveEscapeOpenAt(start) ?? false;
    yield { start, end, place: isInString ? 'json_string' : escaping, isBehindOpenEscape };
    strings?.skipTo(end);
    from = end;
  }
}

const ESCAPED_SPACE = /^\\(?:[tnr]|u00(?:09|0[AaDd]|20))/;
const ESCAPE_CHARACTERS = 6;

/** Blanks inside a JSON string, some of them written as escapes, as in a token over several lines. */
function skipEscapedSpace(text: string, start: number): number {
  for (let at = skipSpace(text, start); ;) {
    const [escape] = ESCAPED_SPACE.exec(text.slice(at, at + ESCAPE_CHARACTERS)) ?? [];
    if (escape === undefined) return at;
    at = skipSpace(text, at + escape.length);
  }
}

function readToken(
  body: Buffer,
  span: TokenSpan,
  { defaultEntity, budget }: { defaultEntity: string | undefined; budget?: TransformBudget },
): ProxyToken {
  try {
    return parseToken(tokenText(body, span), defaultEntity, budget);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new ServiceError(error.code, `${error.message} (byte ${span.start + 1} of the body)`);
  }
}

/** The text of a token, without its braces. Throws `proxy_token_invalid`. */
function tokenText(body: Buffer, { start, end, place, isBehindOpenEscape }: TokenSpan): string {
  const bytes = body.subarray(start + OPEN.length, end - CLOSE.length);
  const written = utf8(bytes);
  if (written === undefined) throw invalidToken(bytes.toString('latin1'), 'is not valid UTF-8');
  if (isBehindOpenEscape) throw invalidToken(written, 'stands behind the backslash of an unfinished escape');
  if (place !== 'json_string') return written;
  const text = unescapeJson(written);
  if (text === undefined) throw invalidToken(written, 'has an escape that JSON does not know');
  return text;
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

// The token grammar of the vault proxy (contract §3.1): `[<entity>.]<identifier>[:<version>] [| <chain>]`, the text
// between two pairs of braces. One pass, no backtracking. Messages repeat the entity and the identifier, never the text
// after them, which may contain a key.

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
  try {
    return scanToken(text, defaultEntity, budget);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // A chain that doesn't parse makes the whole token invalid.
    const code = error instanceof ChainSyntaxError ? INVALID : error.code;
    throw new ServiceError(code, problemOf(text, withoutCredentials(error.message)));
  }
}

/** What stands before the chain. Without its dot or its number, an entity or a version is refused. */
const BEGINNING = /^[ \t\r\n]*(?:(fp_\w*)(\.?))?([\w.-]*)(?::(\d*))?[ \t\r\n]*/;

function scanToken(text: string, defaultEntity: string | undefined, budget: TransformBudget): ProxyToken {
  const [{ length } = '', entity, dot, identifier = '', version] = BEGINNING.exec(text) ?? [];
  if (dot === '') throw new ServiceError(INVALID, 'a dot and an identifier are expected behind the entity');
  if (version === '') throw new ServiceError(INVALID, 'the number of a version is expected behind the colon');
  const { chain, end } = text[length] === '|' ? scanChain(text, length + 1) : { chain: [], end: length };
  if (end < text.length)
    throw new ServiceError(INVALID, `a | or the end is expected at character ${end + 1}`);
  if (describeIdentifier(identifier) === undefined) throw new ServiceError(INVALID, 'unknown identifier');
  const fpId = entity ?? defaultEntity;
  if (fpId === undefined) throw new ServiceError(INVALID, 'names no entity, and there is no header x-fp-id');
  const reference = parseIdentifierReference(version === undefined ? identifier : `${identifier}:${version}`);
  const name = shownName(`${fpId}.${reference.text}`);
  return { fpId, reference, transforms: bindTransforms(chain, budget), name };
}

const INVALID = 'proxy_token_invalid';

/** The error of an unusable token: it has the token's name as written, and nothing else from it. */
function invalidToken(text: string, problem: string): ServiceError {
  return new ServiceError(INVALID, problemOf(text, problem));
}

function problemOf(text: string, problem: string): string {
  const name = /^[ \t\r\n]*([\w.:-]+)/.exec(text)?.[1];
  return name === undefined ? `Token: ${problem}` : `Token ${shownName(name)}: ${problem}`;
}

/** Long enough for the longest identifier with an entity and a version; ids of entities have at most 29 characters. */
const NAME_CHARACTERS = 256;

function shownName(name: string): string {
  const cut = name.length > NAME_CHARACTERS ? `${name.slice(0, NAME_CHARACTERS)}…` : name;
  return withoutCredentials(cut);
}
