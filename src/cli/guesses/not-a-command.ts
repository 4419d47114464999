/** The error for a command line that names no command. */
import { hasIdForm, ID_PREFIX } from '../../kernel/ids/ids.ts';
import { editDistance, nearest } from '../../kernel/text/nearest.ts';
import { lengthOfFlag } from '../shell/command-line.ts';
import { UsageError } from '../shell/failure.ts';
import {
  type Atom,
  atomsOf,
  fillers,
  isGeneral,
  type KnownThing,
  type Lexicon,
  lexiconOf,
  phrase,
  verbsOf,
} from './lexicon.ts';
import { THINGS_OF_IDS } from './words.ts';

// Finds the commands that a person probably meant who typed an unknown one. Singular and plural are the same. Verbs
// have synonyms, and stand before or behind their noun, also with a hyphen. words.ts lists the words. A misspelling is
// corrected where no rule applies.

interface Suggestion {
  /** The words to repeat: those that the rules know, and the first. Any other word may be a value. */
  readonly typed: readonly string[];
  /** Command lines without `kyclone`, best first. */
  readonly commands: readonly string[];
  readonly topic?: string | undefined;
  /** What to do where no command helps. */
  readonly advice?: string | undefined;
}

interface Line {
  readonly words: readonly string[];
  /** What follows the words and is neither a word nor a flag. */
  readonly argument: string | undefined;
}

interface Found {
  readonly commands: readonly string[];
  readonly topic?: string | undefined;
  /** A misspelling explains the words better, if there is one. */
  readonly isWeak?: boolean;
}

/** A thing in a line, with the other atoms of the line. */
interface Mention {
  readonly thing: KnownThing;
  readonly isPlural: boolean;
  readonly before: readonly Atom[];
  readonly others: readonly Atom[];
}

const NOTHING: Found = { commands: [] };
const REPEATABLE = /^[a-z][a-z-]*$/;
const WORD = /^[a-z][a-z_:-]*$/i;
const MOST_WORDS = 6;
const LONGEST_PHRASE = 3;
const LONGEST_NAME = 3;
/** A shorter word is near too many others. */
const SHORTEST_SLIP = 5;
const MOST_MATCHES = 3;
const IDLE_VERBS: ReadonlySet<string> = new Set(['check', 'get', 'list', 'open', 'run', 'start']);
const HTTP_METHODS: ReadonlySet<string> = new Set(['get', 'head', 'post', 'put', 'patch', 'delete']);

/** `argv` names no command. `ids` are those of all commands, such as `bank:links:list`. */
export function suggest(argv: readonly string[], ids: readonly string[]): Suggestion {
  const line = readLine(argv);
  const lexicon = lexiconOf(ids);
  const isKnown = (word: string) => atomsOf(word).every(({ text }) => lexicon.words.has(text));
  const advice = lexicon.advice.get(phrase(line.words.join(' ')));
  if (advice !== undefined) return { typed: repeatable(line.words, isKnown), commands: [], advice };
  const found = find(line.words.flatMap(atomsOf), line, lexicon);
  const isCertain = line.words.every(isKnown) || (found.commands.length > 0 && found.isWeak !== true);
  const corrected = isCertain ? undefined : correct(line, lexicon);
  const { commands, topic } = corrected ?? found;
  return { typed: repeatable(line.words, corrected?.isKnown ?? isKnown), commands, topic };
}

/** The leading words of a command line. A flag ends them, unless it is a global one. */
function readLine(argv: readonly string[]): Line {
  const words: string[] = [];
  for (let at = 0; at < argv.length && words.length < MOST_WORDS; at += 1) {
    const word = argv[at] ?? '';
    const length = lengthOfFlag(word);
    if (length > 0) at += length - 1;
    else if (WORD.test(word) && !hasIdForm(word)) words.push(word);
    else if (!word.startsWith('-')) return { words, argument: word };
    else if (words.length > 0) break;
  }
  // `kyclone -v`
  const flag = argv.find((word) => /^-+[a-z]+$/i.test(word));
  return { words: words.length === 0 && flag !== undefined ? [flag] : words, argument: undefined };
}

function repeatable(words: readonly string[], isKnown: (word: string) => boolean): string[] {
  const end = words.findIndex((word, index) => !REPEATABLE.test(word) || (index > 0 && !isKnown(word)));
  return words.slice(0, end === -1 ? words.length : end);
}

function find(atoms: readonly Atom[], line: Line, lexicon: Lexicon): Found {
  const meaningful = atoms.filter(({ text }) => !fillers.has(text));
  const [first] = meaningful;
  if (line.argument?.startsWith('/') === true && (first === undefined || HTTP_METHODS.has(first.text)))
    return { commands: ['api'] };
  // The verb of a command may be two words, as in `users request-info`.
  const named = lexicon.names.filter((name) => isSameWords(atomsOf(name), atoms));
  if (atoms.length > 2 && named.length === 1) return { commands: named };
  const ofId = ofThingOfId(meaningful, line, lexicon);
  if (ofId !== undefined) return ofId;
  const guess = [atoms, meaningful]
    .flatMap((each) => guessOf(each, lexicon) ?? [])
    .sort((a, b) => Number(a.isWeak) - Number(b.isWeak))[0];
  // `backup` is an act, `backups` are things.
  const areThings = meaningful.length === 1 && first?.isPlural === true && lexicon.things.has(first.text);
  if (guess !== undefined && guess.isWeak !== true && !areThings) return guess;
  // `run doctor`, `show status`: the verb adds nothing.
  const shown = verbsOf(first?.text ?? '').some((verb) => IDLE_VERBS.has(verb))
    ? textOf(meaningful.slice(1))
    : '';
  const name = lexicon.names.find((each) => phrase(each) === shown);
  if (name !== undefined && !lexicon.things.has(shown)) return { commands: [name] };
  const mentions = mentionsIn(meaningful, lexicon);
  if (mentions.length > 0) return ofThings(mentions, line, lexicon);
  const shownGuess = lexicon.guesses.get(shown);
  if (shownGuess !== undefined) return { commands: shownGuess };
  return (
    guess ?? (first === undefined ? NOTHING : ofVerb(first, { isAlone: meaningful.length === 1, lexicon }))
  );
}

function isSameWords(one: readonly Atom[], other: readonly Atom[]): boolean {
  const sorted = (atoms: readonly Atom[]) => atoms.map(({ text }) => text).toSorted();
  return one.length === other.length && sorted(one).join(' ') === sorted(other).join(' ');
}

/** The longest whole guess that the line begins with. One word of several is weak. */
function guessOf(atoms: readonly Atom[], { guesses }: Lexicon): Found | undefined {
  for (let length = Math.min(atoms.length, LONGEST_PHRASE); length > 0; length -= 1) {
    const commands = guesses.get(textOf(atoms.slice(0, length)));
    const isWhole = length === atoms.length;
    // `clear cache` is no reset.
    if (commands !== undefined && (isWhole || !commands.includes('reset')))
      return { commands, isWeak: length === 1 && !isWhole };
  }
  return undefined;
}

function mentionsIn(atoms: readonly Atom[], { things }: Lexicon): Mention[] {
  const mentions: Mention[] = [];
  for (let at = 0; at < atoms.length; at += 1) {
    for (let length = Math.min(atoms.length - at, LONGEST_PHRASE); length > 0; length -= 1) {
      const span = atoms.slice(at, at + length);
      const thing = things.get(textOf(span));
      if (thing === undefined) continue;
      const others = atoms.filter((atom) => !span.includes(atom));
      const isPlural = span.at(-1)?.isPlural === true;
      mentions.push({ thing, isPlural, before: atoms.slice(0, at), others });
      at += length - 1;
      break;
    }
  }
  return mentions;
}

/** In English the noun that counts comes last, as in `user documents`. */
function ofThings(mentions: readonly Mention[], line: Line, lexicon: Lexicon): Found {
  const reversed = mentions.toReversed();
  for (const mention of reversed) {
    const commands = ofAct(mention, line, lexicon);
    if (commands.length > 0) return { commands: narrowed(commands, { mention, mentions, line }) };
  }
  const [mention] = reversed;
  if (mention === undefined) return NOTHING;
  const [topic] = mention.thing.topics;
  // The atoms of no thing: a verb that none of the things has, or behind them an argument.
  const rest = mention.others.filter((atom) => mentions.every(({ others }) => others.includes(atom)));
  const isUnknown =
    rest.length > 0 && rest.every((atom) => !lexicon.words.has(atom.text) && !mention.before.includes(atom));
  const isTopic = topic !== undefined && line.words.join(' ').startsWith(`${topic} `);
  if (rest.length > 0 && (!isUnknown || isTopic)) return { commands: [], topic };
  const commands = alone(mention, { hasArgument: isUnknown || line.argument !== undefined, line, lexicon });
  return { commands: narrowed(commands, { mention, mentions, line }), topic, isWeak: isUnknown };
}

function ofAct(
  { thing, others, isPlural }: Mention,
  { argument }: Line,
  lexicon: Lexicon,
): readonly string[] {
  const [topic] = thing.topics;
  const whole = others.length > 1 ? own(thing, textOf(others), lexicon) : [];
  if (whole.length > 0) return whole;
  const byWeight = others.toSorted((a, b) => Number(isGeneral(a.text)) - Number(isGeneral(b.text)));
  for (const { text } of byWeight) {
    for (const verb of verbsOf(text)) {
      const commands = thing.acts.get(verb) ?? own(thing, verb, lexicon);
      if (verb === 'get' && isPlural && argument === undefined)
        return [...new Set([...own(thing, 'list', lexicon), ...commands])];
      if (commands.length > 0) return commands;
      if (verb === '--help' && topic !== undefined) return [`${topic} --help`];
    }
  }
  return [];
}

/** The commands of the thing's topics with this verb. */
function own({ topics }: KnownThing, verb: string, { names }: Lexicon): string[] {
  return topics.flatMap((topic) =>
    names.filter((name) => name.startsWith(`${topic} `) && phrase(name.slice(topic.length + 1)) === verb),
  );
}

function alone(
  { thing }: Mention,
  { hasArgument, line, lexicon }: { hasArgument: boolean; line: Line; lexicon: Lexicon },
): readonly string[] {
  if (thing.alone !== undefined) return thing.alone;
  const verbs = [
    ...(line.argument?.includes('=') === true ? ['create'] : []),
    ...(hasArgument ? ['get'] : []),
    'list',
  ];
  const verb = verbs.find((each) => own(thing, each, lexicon).length > 0);
  return verb === undefined ? thing.topics : own(thing, verb, lexicon);
}

/** The suggestions for the other thing in the line, or for the kind of its id. */
function narrowed(
  commands: readonly string[],
  { mention, mentions, line }: { mention: Mention; mentions: readonly Mention[]; line: Line },
): readonly string[] {
  const topics = mentions.filter((each) => each !== mention).flatMap(({ thing }) => thing.topics);
  if (line.argument?.startsWith(ID_PREFIX.user) === true) topics.push('users');
  if (line.argument?.startsWith(ID_PREFIX.business) === true) topics.push('businesses');
  const fitting = commands.filter((command) => topics.some((topic) => command.startsWith(`${topic} `)));
  return fitting.length > 0 ? fitting : commands;
}

/** A verb without a thing: the commands that have it, unless there are too many. */
function ofVerb(first: Atom, { isAlone, lexicon }: { isAlone: boolean; lexicon: Lexicon }): Found {
  const entity = lexicon.things.get('entity');
  for (const verb of verbsOf(first.text)) {
    if (isGeneral(verb)) return isAlone && entity ? { commands: own(entity, verb, lexicon) } : NOTHING;
    if (verb === '--help' || lexicon.names.includes(verb)) return { commands: [verb], isWeak: !isAlone };
    const commands = lexicon.names.filter((name) => phrase(name.slice(name.lastIndexOf(' ') + 1)) === verb);
    if (commands.length > 0 && commands.length <= MOST_MATCHES) return { commands, isWeak: true };
  }
  return NOTHING;
}

/** A verb with an id: the kind of the id says what it is about. */
function ofThingOfId(atoms: readonly Atom[], line: Line, lexicon: Lexicon): Found | undefined {
  const kinds = Object.keys(THINGS_OF_IDS) as (keyof typeof ID_PREFIX)[];
  const kind = kinds.find((each) => line.argument?.startsWith(ID_PREFIX[each]));
  const thing = lexicon.things.get((kind && THINGS_OF_IDS[kind]) ?? '');
  if (thing === undefined || mentionsIn(atoms, lexicon).length > 0) return undefined;
  const found = ofThings([{ thing, isPlural: false, before: [], others: atoms }], line, lexicon);
  return found.commands.length > 0 ? found : undefined;
}

/** A command that is spelled nearly as the words are, or what the words mean once their slips are corrected. */
function correct(
  line: Line,
  lexicon: Lexicon,
): (Found & { readonly isKnown: (word: string) => boolean }) | undefined {
  const { words } = line;
  for (let length = Math.min(words.length, LONGEST_NAME); length > 0; length -= 1) {
    const begun = words.slice(0, length);
    const meant = nearly(
      begun.join(' '),
      lexicon.names.filter((name) => name.split(' ').length === length),
    );
    if (meant !== undefined) return { commands: [meant], isKnown: (word) => begun.includes(word) };
  }
  const isKnown = (word: string) => atomsOf(word).every((atom) => corrected(atom, lexicon) !== undefined);
  const atoms = words.flatMap(atomsOf).map((atom) => corrected(atom, lexicon) ?? atom);
  const found = find(atoms, line, lexicon);
  if (found.commands.length > 0 && found.isWeak !== true) return { ...found, isKnown };
  return undefined;
}

/** The atom, or the known one that it is a slip of. */
function corrected(atom: Atom, { words }: Lexicon): Atom | undefined {
  const { text } = atom;
  if (words.has(text)) return atom;
  if (text.length + Number(atom.isPlural) < SHORTEST_SLIP) return undefined;
  const meant = [...words].find((word) => isSwapped(text, word)) ?? nearest(text, words);
  if (meant === undefined) return undefined;
  // A letter in place of another often makes another word: `remote` is no slip of `remove`.
  const isSlip = isSwapped(text, meant) || (meant.length !== text.length && editDistance(text, meant) === 1);
  return isSlip ? { ...atom, text: meant } : undefined;
}

/** The nearest text, if each of its words is near. */
function nearly(typed: string, texts: Iterable<string>): string | undefined {
  const meant = nearest(typed, texts);
  const words = meant?.split(' ');
  return words !== undefined && typed.split(' ').every((word, index) => isNear(word, words[index] ?? ''))
    ? meant
    : undefined;
}

/** At most a quarter of the letters differs, or two of them are swapped. */
function isNear(typed: string, meant: string): boolean {
  return isSwapped(typed, meant) || editDistance(typed, meant) <= (typed.length + 1) / 4;
}

function isSwapped(typed: string, meant: string): boolean {
  return typed.split('').sort().join('') === meant.split('').sort().join('');
}

function textOf(atoms: readonly Atom[]): string {
  return atoms.map(({ text }) => text).join(' ');
}

/** `argv` begins with the first word that isn't a global flag. `ids` are those of all commands. */
export function notACommand(argv: readonly string[], ids: readonly string[]): UsageError {
  const { typed, commands, topic, advice } = suggest(argv, ids);
  const words = typed.join(' ');
  const isTopic = ids.some((id) => id.startsWith(`${typed.join(':')}:`));
  const meant = commands
    .map((command) => `"kyclone ${command}"`)
    .join(', ')
    .replace(/, (?!.*, )/, ' or ');
  const problem =
    typed.length === 0
      ? 'There is no such command'
      : `kyclone ${words} ${isTopic ? (meant === '' ? 'has no such command' : 'needs a command') : 'is not a command'}`;
  return new UsageError(
    meant === '' ? problem : `${problem}; did you mean ${meant}?`,
    advice ?? hint(commands, topic, ids),
  );
}

function hint(commands: readonly string[], topic: string | undefined, ids: readonly string[]): string {
  const [command = '', ...others] = commands;
  if (command === '' && topic !== undefined) return `kyclone ${topic} --help lists the commands of ${topic}`;
  const name = ids.map((id) => id.replaceAll(':', ' ')).find((each) => `${command} `.startsWith(`${each} `));
  if (name !== undefined && others.length === 0) return `kyclone ${name} --help`;
  return 'kyclone --help lists the commands';
}
