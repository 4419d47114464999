/**
 * What people paste and mix up on a command line: ids with quotes or a comma around them, arguments in the wrong
 * order, and a text of several words without quotes. Messages contain only names that the command declares.
 */
import { hasIdForm, ID_PREFIX } from '../../kernel/ids/ids.ts';
import { type NamedKind, unwrapped } from './entity-names.ts';
import { UsageError } from './failure.ts';

const TOKEN = /^(?:[a-z]+tok|whsec|sk_test|sk_live)_\w+$/;
/** The form of a data identifier or a pattern of some, with an optional version. */
const DATA_IDENTIFIER = /^(?:[a-z_]+\.[\w.*:-]+|\*)$/;

/** An id or token, or several with commas, as it was copied. Any other text stays unchanged. */
function pastedId(text: string): string {
  const ids = text
    .split(',')
    .map(unwrapped)
    .filter((id) => id !== '');
  return ids.length > 0 && ids.every((id) => hasIdForm(id) || TOKEN.test(id)) ? ids.join(',') : text;
}

/** Unwraps pasted ids, tokens and data identifiers; changes `values`. */
export function unwrapPasted(values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    const clean = name.startsWith('identifier') ? unwrapped : pastedId;
    const cleanOne = (one: unknown) => (typeof one === 'string' ? clean(one) : one);
    values[name] = Array.isArray(value) ? value.map(cleanOne) : cleanOne(value);
  }
}

interface DeclaredArgument {
  readonly names?: NamedKind;
  readonly description?: string | undefined;
  readonly multiple?: boolean | undefined;
}
interface DeclaredFlag {
  readonly type: string;
  readonly options?: readonly string[] | undefined;
  readonly helpValue?: string | string[] | undefined;
  /** Flags and arguments without which it has no effect; see `needing`. */
  readonly needs?: readonly string[];
}

/** A command line as it was parsed; `argv` is what was typed. */
export interface TypedLine {
  readonly argv: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly args: Readonly<Record<string, DeclaredArgument>>;
  readonly flags: Readonly<Record<string, DeclaredFlag>>;
  readonly command: string;
}

/**
 * Throws UsageError if an id and another argument stand in each other's places, or if a word can only be the rest of a
 * flag's text.
 */
export function requireOrder({ argv, values, args, flags, command }: TypedLine): void {
  const slots = Object.entries(args).map(([name, argument]) => ({
    name,
    isMultiple: argument.multiple === true,
    prefixes: prefixesOf(argument),
    given: [values[name]].flat().filter((value) => typeof value === 'string'),
  }));
  const misplaced = slots.find(
    ({ given, prefixes }) =>
      given.length > 0 &&
      !given.some(hasIdForm) &&
      slots.some(
        (other) =>
          other.prefixes.length === 0 &&
          other.given.some((text) => prefixes.some((prefix) => text.startsWith(prefix)) && hasIdForm(text)) &&
          given.some((text) => mayBe(other.name, text)),
      ),
  );
  const isStray = slots.some(
    ({ name, given }) => IS_MANY.has(name) && given.some((text) => !mayBe(name, text)),
  );
  if (misplaced === undefined && !isStray) return;
  const flag = flagOfSeveralWords(argv, flags);
  if (flag !== undefined) throw severalWords(flag);
  if (misplaced === undefined) return;
  const order = slots.map(({ name, isMultiple }) => name.toUpperCase() + (isMultiple ? '...' : ''));
  throw new UsageError(
    `The arguments are in the wrong order: ${misplaced.name.toUpperCase()} is given in the place of another`,
    `kyclone ${command} ${order.join(' ')}`,
  );
}

/** What the parser read; a default is marked as one. */
interface Parsed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly metadata: {
    readonly flags: Readonly<Record<string, { readonly setFromDefault?: boolean } | undefined>>;
  };
}

/** Throws UsageError for a flag that is given without any flag or argument that it needs. */
export function requireNeeded(
  { args, flags, metadata }: Parsed,
  declared: Readonly<Record<string, DeclaredFlag>>,
): void {
  const isTyped = (name: string) =>
    flags[name] !== undefined && metadata.flags[name]?.setFromDefault !== true;
  for (const [name, { needs }] of Object.entries(declared)) {
    if (needs === undefined || !isTyped(name)) continue;
    if (needs.some((other) => isTyped(other) || args[other] !== undefined)) continue;
    const names = needs.map((other) => (other in declared ? `--${other}` : other.toUpperCase()));
    throw new UsageError(`--${name} needs ${names.join(' or ')}: without it, --${name} has no effect`);
  }
}

const IS_MANY: ReadonlySet<string> = new Set(['identifiers', 'fields']);

/** Whether a text can be this argument, for those with a form of their own. */
function mayBe(argument: string, text: string): boolean {
  if (argument.startsWith('identifier')) return DATA_IDENTIFIER.test(text);
  if (argument === 'fields') return text.includes('=');
  return argument !== 'text' || text.includes(' ');
}

export function severalWords(flag: string): UsageError {
  return new UsageError(`--${flag} takes one text: put several words in quotes`, `--${flag} "several words"`);
}

const PREFIXES: Readonly<Record<NamedKind, readonly string[]>> = {
  user: [ID_PREFIX.user],
  business: [ID_PREFIX.business],
  entity: [ID_PREFIX.user, ID_PREFIX.business],
};

/** The help of an argument that takes an id shows its prefix: `link_…`. */
function prefixesOf(argument: DeclaredArgument | undefined): readonly string[] {
  if (argument?.names !== undefined) return PREFIXES[argument.names];
  return Object.values(ID_PREFIX).filter((prefix) => argument?.description?.includes(`(${prefix}`));
}

/** Values that may have several words, by what the help calls them; an id, a number or a secret is one word. */
const TEXTS = /TEXT|WORDS|NAME|VALUE|TAG|JSON|BODY|TEMPLATE|FILE|DIR|FOLDER/;
/** Where a text is read from, in place of the text. */
const IS_SOURCE = /^@|^[-?]$/;

/** The first flag with a text that another plain word follows. */
export function flagOfSeveralWords(
  argv: readonly string[],
  flags: Readonly<Record<string, DeclaredFlag>>,
): string | undefined {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  for (const [at, word] of words.entries()) {
    const [, name = '', value] = /^--([a-z-]+)(=.*)?$/s.exec(word) ?? [];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined || flag.type === 'boolean' || flag.options !== undefined) continue;
    const given = value?.slice(1) ?? words[at + 1] ?? '';
    if (!TEXTS.test(String(flag.helpValue)) || IS_SOURCE.test(given)) continue;
    const next = words[at + (value === undefined ? 2 : 1)];
    if (next !== undefined && isPlainWord(next)) return name;
  }
  return undefined;
}

function isPlainWord(word: string): boolean {
  return !/^-|=/.test(word) && !hasIdForm(pastedId(word)) && !DATA_IDENTIFIER.test(word);
}
