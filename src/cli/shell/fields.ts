/**
 * Fields and headers on the command line.
 *
 * The field syntax (docs/architecture.md#command-line): `id.first_name=Jane` is a string, `custom.tags:='["a"]'`
 * JSON, `name=@file` the text of a file, `id.ssn9=-` stdin, `id.ssn9=?` a hidden prompt. The daemon checks
 * identifiers and values; messages here never contain a value. Headers come from the command line, a file or stdin.
 */
import { attempt } from '../../kernel/attempt.ts';
import { existsSync } from 'node:fs';
import {
  parseJson,
  isJson,
  isJsonObject,
  withoutByteOrderMark,
  type JsonValue,
  jsonFault,
} from '../../kernel/text/json.ts';
import { UsageError } from './failure.ts';
import { withoutFinalNewline, type InputSource } from './input.ts';

export const FIELD_HELP =
  'identifier=value; =- reads stdin, =? asks without echo, =@FILE reads a file, := takes JSON (null deletes)';

export interface FieldArgument {
  readonly identifier: string;
  readonly from: 'text' | 'json' | 'stdin' | 'prompt' | 'file';
  /** The text, the JSON text or the path; empty for stdin and prompt. */
  readonly value: string;
}

/** Parses one argument. Throws UsageError, which names the argument's `position` instead of its text. */
export function parseField(argument: string, position: number): FieldArgument {
  const equals = argument.indexOf('=');
  if (equals < 1 || argument.startsWith(':=')) {
    throw new UsageError(
      `Field ${position} is not of the form identifier=value (not shown: it may hold a value)`,
      argument.startsWith('{') ? 'a JSON object is given with --data' : 'fields look like id.first_name=Jane',
    );
  }
  const value = argument.slice(equals + 1);
  if (argument[equals - 1] === ':') return { identifier: argument.slice(0, equals - 1), from: 'json', value };
  const identifier = argument.slice(0, equals);
  if (value === '-') return { identifier, from: 'stdin', value: '' };
  if (value === '?') return { identifier, from: 'prompt', value: '' };
  if (value.startsWith('@')) return { identifier, from: 'file', value: value.slice(1) };
  return { identifier, from: 'text', value };
}

/** A file for a file identifier. */
export interface FileField {
  readonly identifier: string;
  /** Undefined for stdin. */
  readonly path: string | undefined;
}

/** The identifiers that only take a file (contract §1.6). */
const FILE_IDENTIFIER = /^document\.(?:custom\..+|finra_compliance_letter|.+\.image)$/;

export interface FieldInput {
  readonly fields: readonly string[];
  /** `--data`: JSON, `@file` or `-`. Fields override its members. */
  readonly data?: string | undefined;
}

function parseFields({ fields, data }: FieldInput): FieldArgument[] {
  const parsed = fields.map((argument, index) => parseField(argument, index + 1));
  const stdinReaders = parsed.filter(({ from }) => from === 'stdin').length + (data === '-' ? 1 : 0);
  if (stdinReaders > 1) throw new UsageError('Only one value can come from stdin');
  return parsed;
}

/** The body from fields and `--data`; undefined without either. Throws UsageError. */
export async function readFields(
  { fields, data }: FieldInput,
  input: InputSource,
): Promise<Record<string, JsonValue> | undefined> {
  if (fields.length === 0 && data === undefined) return undefined;
  const parsed = parseFields({ fields, data });
  const body = new Map(Object.entries(data === undefined ? {} : await readData(data, input)));
  const seen = new Set<string>();
  for (const field of parsed) {
    if (seen.has(field.identifier)) throw new UsageError(`${shown(field.identifier)} is given twice`);
    seen.add(field.identifier);
    body.set(field.identifier, await fieldValue(field, input));
  }
  return Object.fromEntries(body);
}

/**
 * Like readFields, except that content from a file or stdin for a file identifier is not read as text but returned
 * for upload. Throws UsageError.
 */
export async function readFieldsAndFiles(
  { fields, data }: FieldInput,
  input: InputSource,
): Promise<{ readonly body: Record<string, JsonValue> | undefined; readonly files: FileField[] }> {
  const texts: string[] = [];
  const files: FileField[] = [];
  for (const [index, { identifier, from, value }] of parseFields({ fields, data }).entries()) {
    const isFile = (from === 'file' || from === 'stdin') && FILE_IDENTIFIER.test(identifier);
    if (!isFile) texts.push(fields[index] ?? '');
    else if (files.some((file) => file.identifier === identifier))
      throw new UsageError(`${shown(identifier)} is given twice`);
    else files.push({ identifier, path: from === 'file' ? value : undefined });
  }
  return { body: await readFields({ fields: texts, data }, input), files };
}

/** The JSON object of `--data`. Throws UsageError. */
export async function readData(data: string, input: InputSource): Promise<Record<string, JsonValue>> {
  requireNoFileName(data);
  if (/^[\w.:-]+=/.test(data))
    throw new UsageError('--data is not JSON', 'a field is given without --data: id.first_name=Jane');
  const value = jsonFrom(await readText(data, input, 'always'), '--data');
  if (!isJsonObject(value)) throw new UsageError('--data must be a JSON object');
  return value;
}

/** Throws UsageError if the text of `--data` or `--body` is the name of a file without its `@`. */
export function requireNoFileName(text: string, flag = '--data'): void {
  if (!namesFile(text)) return;
  throw new UsageError(`${flag} takes JSON, and a file as @FILE: write @${text}`);
}

/** Whether a text can hardly be anything but the path of a JSON file. */
function namesFile(text: string): boolean {
  if (/[\s{}"[\]@]|^-?$/.test(text) || isJson(text)) return false;
  return /\.(?:jsonc?|json5)$/i.test(text) || existsSync(text);
}

/** Reads a text: the argument itself, or `-` (stdin) or `@file` without a byte order mark. */
export async function readText(text: string, input: InputSource, named?: 'always'): Promise<string> {
  if (text === '-') return withoutByteOrderMark(await input.stdin());
  return text.startsWith('@') ? withoutByteOrderMark(input.file(text.slice(1), named)) : text;
}

/** As `readText`, without the line end that a file or `echo` puts after a text. An argument stays as it is. */
export async function readLine(text: string, input: InputSource, named?: 'always'): Promise<string> {
  const read = await readText(text, input, named);
  return read === text ? text : withoutFinalNewline(read);
}

/** Reads bytes: the argument itself as text, or unchanged bytes from `-` (stdin) or `@file`. */
export async function readBytes(text: string, input: InputSource): Promise<Buffer> {
  if (text === '-') return await input.stdinBytes();
  return text.startsWith('@') ? input.fileBytes(text.slice(1)) : Buffer.from(text, 'utf8');
}

async function fieldValue(
  { identifier, from, value }: FieldArgument,
  input: InputSource,
): Promise<JsonValue> {
  switch (from) {
    case 'text':
      return value;
    case 'json':
      return jsonFrom(value, shown(identifier));
    case 'stdin':
      return withoutFinalNewline(await input.stdin());
    case 'prompt':
      return await input.hidden(shown(identifier));
    case 'file':
      return input.file(value);
  }
}

/** Replaces JSON.parse's own messages, which quote the text. */
function jsonFrom(text: string, what: string): JsonValue {
  const value = attempt(() => parseJson(text));
  if (value !== undefined) return value;
  throw new UsageError(`${what} is not JSON${faultText(text)}`);
}

/** `: line 2, column 5`, the place where a text stops being JSON. */
export function faultText(text: string): string {
  const fault = jsonFault(text);
  return fault === undefined ? '' : `: line ${fault.line}, column ${fault.column}`;
}

/** An identifier for messages. A text that doesn't look like one could be a misplaced value, so it is not shown. */
function shown(identifier: string): string {
  return /^[a-z_]+(?:\.[A-Za-z0-9_-]+)+$/.test(identifier) ? identifier : 'A field';
}

export type Header = readonly [name: string, value: string];

/** Ends the help text of `-H`. */
export const HEADER_SOURCES = '@FILE takes one from each line of a file, @- from stdin; repeatable';

/** Whether one of the texts reads stdin. */
export const readsStdin = (texts: readonly string[] | undefined): boolean => texts?.includes('@-') ?? false;

/**
 * All headers that `-H` gives, one text each: the argument itself, or the lines of `@FILE` and `@-`, as in curl.
 * Throws UsageError, which contains nothing of what it read.
 */
export async function headerTexts(
  given: readonly string[] | undefined,
  input: Pick<InputSource, 'file' | 'stdin'>,
): Promise<string[]> {
  const texts: string[] = [];
  for (const text of given ?? []) {
    if (text === '@-') texts.push(...headerLines(await input.stdin()));
    else if (text.startsWith('@')) texts.push(...headerLines(input.file(text.slice(1))));
    else texts.push(text);
  }
  return texts;
}

/** Lines of `name: value`, as in a recorded request; a request line may come first. */
export function headerLines(text: string): string[] {
  const lines = withoutByteOrderMark(text).split(/\r?\n/);
  const isHead = /^[A-Z]+ \S+ HTTP\/\d/.test(lines[0] ?? '');
  return lines
    .slice(isHead ? 1 : 0)
    .map((line) => line.replace(/^[<>] /, ''))
    .filter((line) => line.trim() !== '');
}

/** Parses `Name: value`. Throws UsageError, which doesn't contain it. */
export function parseHeader(text: string): Header {
  const match = /^([!#$%&'*+.^_`|~\w-]+):([^\r\n\0]*)$/.exec(text);
  if (match?.[1] === undefined) throw new UsageError('-H takes "Name: value", @FILE or @-');
  return [match[1], (match[2] ?? '').replace(/^[ \t]+/, '')];
}

/** Headers by lower-case name; the last one of a name counts. Throws UsageError. */
export function parseHeaders(texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(texts.map(parseHeader).map(([name, value]) => [name.toLowerCase(), value]));
}
