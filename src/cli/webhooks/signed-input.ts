/** What `webhooks verify` is given: secrets, headers and the body, from wherever they come. */
import { isJsonObject } from '../../kernel/json.ts';
import { UsageError } from '../shell/failure.ts';
import { readBytes, readText } from '../shell/fields.ts';
import { headerLines, headerTexts, parseHeader, readsStdin, type Header } from '../shell/headers.ts';
import type { InputSource } from '../shell/input.ts';
import { isWebhookSecret } from './verify.ts';

export interface SignedInput {
  /** `--secret`, each: the text, `-`, `?` or `@FILE`. */
  readonly secrets: readonly string[] | undefined;
  /** KYCLONE_WEBHOOK_SECRET, where no secret is given. */
  readonly environmentSecret: string | undefined;
  /** `--header`, each: `name: value`, `@FILE` or `@-`. */
  readonly header: readonly string[] | undefined;
  /** `--headers`: a text, `-` or `@FILE` with a line each, or a JSON object. */
  readonly headers: string | undefined;
  /** `--body`: a text, `-` or `@FILE`. */
  readonly body: string;
}

/** Throws UsageError, which repeats nothing of what it was given. */
export async function readSigned(given: SignedInput, input: InputSource) {
  const texts = given.secrets ?? (given.environmentSecret === undefined ? [] : [given.environmentSecret]);
  const readers = [...texts, given.headers, given.body].filter((text) => text === '-').length;
  if (readers + (readsStdin(given.header) ? 1 : 0) > 1) {
    throw new UsageError('Only one thing can come from stdin', 'the body does unless --body says otherwise');
  }
  return {
    secrets: await readSecrets(texts, input),
    headers: [
      ...(await headerTexts(given.header, input)).map(parseHeader),
      ...(given.headers === undefined ? [] : parseHeaders(await readText(given.headers, input))),
    ],
    body: await readBytes(given.body, input),
  };
}

async function readSecrets(texts: readonly string[], input: InputSource): Promise<string[]> {
  if (texts.length === 0) throw new UsageError('--secret is missing', 'or set KYCLONE_WEBHOOK_SECRET');
  const secrets: string[] = [];
  for (const text of texts) {
    const secret = (await input.secret(text, 'Secret')).trim();
    if (!isWebhookSecret(secret)) {
      throw new UsageError(
        'A secret is whsec_ and base64 (not shown)',
        'kyclone webhooks secret ID prints it',
      );
    }
    secrets.push(secret);
  }
  return secrets;
}

/** Lines of `name: value`, as a recording of a request has them (a request line may stand above), or a JSON object. */
export function parseHeaders(text: string): Header[] {
  if (text.trimStart().startsWith('{')) return jsonHeaders(text);
  return headerLines(text).map(parseHeader);
}

function jsonHeaders(text: string): Header[] {
  const members = parseObject(text);
  return Object.entries(members).flatMap(([name, value]) => {
    const values = Array.isArray(value) ? value : [value];
    return values.map((one): Header => {
      if (typeof one !== 'string' && typeof one !== 'number') throw notHeaders();
      return [name, String(one)];
    });
  });
}

/** JSON.parse quotes the text in its messages; this doesn't. */
function parseObject(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // As any other text that is no object.
  }
  throw notHeaders();
}

function notHeaders(): UsageError {
  return new UsageError('--headers is neither lines of name: value nor a JSON object of texts');
}
