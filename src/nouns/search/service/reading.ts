/** Determines what a search text may mean; all possible meanings are searched. Pure. */
import { ENTITY_STATUSES, LABELS } from '../../entities/facts.ts';
import { READABLE_DATE, SEARCH_WORDS, type SearchedBy } from '../facts.ts';
import { hasIdForm, ID_PREFIX } from '../../../kernel/ids/ids.ts';
import type { Day } from '../../../kernel/time/civil-date.ts';
import { datesOf, isMonth } from '../../../kernel/time/written-dates.ts';
import { nameWords } from '../../../vault/search/names.ts';
import { digitsOf } from '../../../vault/search/parts.ts';

// Splits a search text into several parts, such as `doe (415) 555-0100`. Pure.

/** One part: a number or an address, which is complete by itself, or the remaining words. */
interface SearchPart {
  readonly kind: 'date' | 'number' | 'email' | 'words';
  readonly text: string;
}

const EMAIL = /(?<!\S)[^\s@,;]+@[^\s@,;]+\.[^\s@,;]+/g;
/** The longest date in words: `Friday, the 30th of December in 1988`. */
const WORDS_OF_A_DATE = 8;
const ONLY_DIGITS = /^[\d\s]+$/;
/** Digits with common separators, as in `+44 (0)20 7946 0100` and `3/12/1984`; not part of a longer word. */
const NUMBER = /(?<![^\s,;])[+(]{0,2}\d[\d\s().\-/]*\d(?![^\s,;])/g;

/** The parts, if there are several and one of them is complete by itself; otherwise empty. */
function searchParts(text: string, today: Day): readonly SearchPart[] {
  const parts: SearchPart[] = [];
  const take = (kind: SearchPart['kind']) => (part: string) => {
    parts.push({ kind, text: part.trim() });
    return ' ';
  };
  const words = withoutDates(text.replace(EMAIL, take('email')), today, take('date')).replace(
    NUMBER,
    take('number'),
  );
  if (/[\p{L}\d]/u.test(words)) parts.push({ kind: 'words', text: words.replace(/[\s,;]+/g, ' ').trim() });
  return parts.length > 1 ? parts : [];
}

/** Takes out the dates, the longest first, so that `born` goes with `born 30.12.1988`. */
function withoutDates(text: string, today: Day, take: (date: string) => string): string {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const left: string[] = [];
  for (let at = 0; at < words.length;) {
    const length = lengthOfDate(words, at, today);
    if (length > 0) take(words.slice(at, at + length).join(' '));
    else left.push(words[at] ?? '');
    at += Math.max(1, length);
  }
  return left.join(' ');
}

/** How many words the date has that begins here; 0 for none. Bare digits may be a part of a longer number. */
function lengthOfDate(words: readonly string[], at: number, today: Day): number {
  const isNumber = (place: number) => /^[\d(+][\d().-]*$/.test(words[place] ?? '');
  for (let length = Math.min(WORDS_OF_A_DATE, words.length - at); length > 0; length -= 1) {
    const text = words.slice(at, at + length).join(' ');
    const isBare = ONLY_DIGITS.test(text);
    if (isBare && (length === 1 || isNumber(at - 1) || isNumber(at + length))) continue;
    if (datesOf(text, today).length > 0) return length;
  }
  return 0;
}

/** `31.02.1988`, `99/99/99`; not a phone or tax number, which have three digits in a row. */
const DATE_IN_NUMBERS =
  /(?<!\S)(?:\d{1,2}([./\\-])\d{1,2}\1(?:\d{4}|\d{2})|\d{4}([./\\-])\d{1,2}\2\d{1,2})(?![^\s,;?!])[,;?!]?/g;
/** `30 feb 1988` or `Feb 30, 1988`, where the word names a month. */
const DATE_IN_WORDS =
  /(?<!\S)(?:\d{1,2}(?:st|nd|rd|th|\.)? (?:of )?(\p{L}{3,10})\.?,? \d{4}|(\p{L}{3,10})\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?![^\s,;?!])[,;?!]?/giu;

/** Takes out what looks like a date and is none, such as `31.02.1988` and `30 feb 1988`. */
function withoutFalseDates(text: string, today: Day): string {
  const isDate = (found: string) => datesOf(found, today).length > 0;
  return text
    .replace(/\s+/g, ' ')
    .replace(DATE_IN_NUMBERS, (found) => (isDate(found) ? found : ' '))
    .replace(DATE_IN_WORDS, (found, one: string | undefined, other: string | undefined) =>
      isDate(found) || !isMonth(one ?? other ?? '') ? found : ' ',
    )
    .replace(/\s+/g, ' ')
    .trim();
}

type IdKind = keyof typeof ID_PREFIX;

/** One possible meaning, in the form for the search. */
export interface Meaning {
  readonly by: SearchedBy;
  /** One of them is enough, except for a name, which needs all. */
  readonly texts: readonly string[];
}

export interface SearchMeanings {
  /** All must hold. */
  readonly required: readonly Meaning[];
  /** One of them must match; undefined when only `required` was given. */
  readonly either: readonly Meaning[] | undefined;
  /** Alternatively, one meaning of each group: several parts in one text, as in `doe (415) 555-0100`. */
  readonly together: readonly (readonly Meaning[])[];
  /** What the text lacks for a search by another attribute. */
  readonly tooShort: readonly { readonly by: SearchedBy; readonly needs: string }[];
}

const PHONE_SHAPE = /^\+?[\d\s().\-/]+$/;
const FEWEST_PHONE_DIGITS = 7;
const MOST_PHONE_DIGITS = 18;
const TAX_END_DIGITS = 4;
const TAX_SHAPE = /^\d{3}[-. ]?\d{2}[-. ]?\d{4}$|^\d{2}[-. ]?\d{7}$/;
/** `***-**-6789`, as masks show it, and `67 89`. */
const TAX_END_SHAPE = /^(?:[*xX•#\-. ]*)((?:\d[\s.-]?){3}\d)$/;
const TOKEN = /^[A-Za-z0-9_.-]+$/;
const FEWEST_OF_A_PART = 3;
const FEWEST_LETTERS = 2;
const MOST_NAME_DIGITS = 4;
const ONE_LETTER_IS_A_NAME = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const WORDS = Object.keys(SEARCH_WORDS).join('|');
/** `word:text`, where the word is one of SEARCH_WORDS; quotes keep blanks in the text. */
const NAMED_PART = new RegExp(`(?:^|\\s)(${WORDS}):\\s*(?:"([^"]*)"|(\\S+))`, 'gi');
/** The position before each `word:`. */
const BEFORE_NAMED = new RegExp(`(?<=^|\\s)(?=(?:${WORDS}):)`, 'i');

/** `today`: by which years of two digits are in the past. */
export function readSearch(text: string, today: Day): SearchMeanings {
  const required: Meaning[] = [];
  const tooShort: { by: SearchedBy; needs: string }[] = [];
  const rest = quoted(text, today)
    .replace(NAMED_PART, (_, word: string, inQuotes: string | undefined, plain: string | undefined) => {
      const by = SEARCH_WORDS[word.toLowerCase()];
      const named = by && meaningNamed(by, (inQuotes ?? plain ?? '').trim(), today);
      if (named) required.push(named);
      if (named?.needs !== undefined) tooShort.push({ by: named.by, needs: named.needs });
      return ' ';
    })
    .trim();
  if (rest === '') return { required, either: undefined, together: [], tooShort };
  const readable = hasIdForm(rest) ? rest : withoutFalseDates(rest, today);
  if (readable !== rest.replace(/\s+/g, ' ')) {
    const noDate = { by: 'date_of_birth', needs: READABLE_DATE } as const;
    if (readable !== '') {
      const others = readSearch(readable, today);
      return { ...others, required, tooShort: [...tooShort, noDate, ...others.tooShort] };
    }
    tooShort.push(noDate);
  }
  // A text in the form of an id is not personal data.
  const meant = hasIdForm(rest) ? MEANINGS.filter(({ by }) => by === 'id' || by === 'external_id') : MEANINGS;
  const either = meant.flatMap(({ by, of }) => {
    const texts = of(rest, today);
    if (typeof texts === 'string' && readable !== '') tooShort.push({ by, needs: texts });
    return typeof texts === 'string' || texts.length === 0 ? [] : [{ by, texts }];
  });
  return { required, either, together: togetherOf(rest, today), tooShort };
}

/** Quotes a text that only has a meaning beyond its first blank: `phone:(415) 555-0100`. */
function quoted(text: string, today: Day): string {
  const parts = text.split(BEFORE_NAMED).map((part) => {
    const word = part.slice(0, part.indexOf(':') + 1);
    const value = part.slice(word.length).trim();
    const by = SEARCH_WORDS[word.slice(0, -1).toLowerCase()];
    if (by === undefined || /[":]/.test(value)) return part;
    const meansIt = (words: string) => meaningNamed(by, words, today).texts.length > 0;
    const [first = ''] = value.split(/\s/);
    return !meansIt(first) && meansIt(value) ? `${word}"${value}" ` : part;
  });
  return parts.join('');
}

const MEANT_BY: Readonly<Record<Exclude<SearchPart['kind'], 'words'>, ReadonlySet<SearchedBy>>> = {
  date: new Set(['date_of_birth']),
  number: new Set(['phone_number', 'tax_number', 'tax_number_end', 'external_id', 'date_of_birth']),
  email: new Set(['email']),
};

/** Empty when a part of the text is not searchable. */
function togetherOf(text: string, today: Day): readonly (readonly Meaning[])[] {
  const groups = searchParts(text, today).map((part) =>
    MEANINGS.flatMap(({ by, of }) => {
      const texts = part.kind === 'words' || MEANT_BY[part.kind].has(by) ? of(part.text, today) : [];
      return typeof texts === 'string' || texts.length === 0 ? [] : [{ by, texts }];
    }),
  );
  return groups.every((group) => group.length > 0) ? groups : [];
}

/** A named text is searched only by its attribute, or matches nobody. */
function meaningNamed(by: SearchedBy, text: string, today: Day): Meaning & { readonly needs?: string } {
  if (by === 'tax_number' && TAX_END_SHAPE.test(text)) return { by: 'tax_number_end', texts: taxEnd(text) };
  if (by === 'tag') return { by, texts: [text] };
  if (by === 'review') return { by, texts: /^(?:needed|yes|open)$/i.test(text) ? ['needed'] : ['no'] };
  if (by === 'name' && /\d/.test(text)) return { by, texts: nameWords(text) };
  const texts = MEANINGS.find((meaning) => meaning.by === by)?.of(text, today) ?? [];
  if (typeof texts === 'string') return { by, texts: [], needs: texts };
  return texts.length === 0 ? { by, texts, needs: NEEDED[by] ?? 'another text' } : { by, texts };
}

const WHOLE_ADDRESS = 'the whole address';
const PHONE_END = `its last ${FEWEST_PHONE_DIGITS} digits`;
const OF_A_TOKEN = 'only letters, digits, dots, dashes and underscores';

/** What a text that is named so, and has no such meaning, has to be. */
const NEEDED: Readonly<Partial<Record<SearchedBy, string>>> = {
  id: 'a complete id, as kyclone writes it',
  external_id: OF_A_TOKEN,
  sandbox_id: OF_A_TOKEN,
  name: 'letters',
  email: WHOLE_ADDRESS,
  phone_number: PHONE_END,
  date_of_birth: READABLE_DATE,
  tax_number: `all its digits, or the last ${TAX_END_DIGITS}`,
  label: `one of ${LABELS.join(', ')}`,
  status: `one of ${ENTITY_STATUSES.join(', ')}`,
};

/** The texts to search for; empty when it can't have this meaning; or what it lacks. */
type Meant = (text: string, today: Day) => readonly string[] | string;

const MEANINGS: readonly { readonly by: SearchedBy; readonly of: Meant }[] = [
  { by: 'id', of: (text) => (hasIdForm(text) ? (needsAnother(text) ?? [text]) : []) },
  { by: 'external_id', of: part },
  { by: 'sandbox_id', of: part },
  { by: 'email', of: (text) => (isEmailLike(text) ? [text] : text.includes('@') ? WHOLE_ADDRESS : []) },
  { by: 'phone_number', of: phoneNumbers },
  { by: 'date_of_birth', of: datesOf },
  { by: 'tax_number', of: (text) => (TAX_SHAPE.test(text) ? [digitsOf(text)] : []) },
  { by: 'tax_number_end', of: taxEnd },
  {
    by: 'drivers_license_number',
    of: (text) => (TOKEN.test(text) && /\d/.test(text) && text.length > TAX_END_DIGITS ? [text] : []),
  },
  { by: 'name', of: names },
  { by: 'label', of: (text) => LABELS.filter((label) => label === underscored(text)) },
  { by: 'tag', of: (text) => [text] },
  { by: 'status', of: (text) => ENTITY_STATUSES.filter((status) => status === text.toLowerCase()) },
];

/** Ids that belong to no entity, so that the response can explain this. */
const NOBODYS: Readonly<Partial<Record<IdKind, string>>> = {
  apiKey: 'an API key',
  request: 'a request',
  fault: 'a fault rule',
  outcomeRule: 'an outcome rule',
  sandboxPlaybook: 'a playbook',
  livePlaybook: 'a playbook',
  webhook: 'a webhook endpoint',
  proxyConfiguration: 'a proxy configuration',
  security: 'a security',
};

function needsAnother(id: string): string | undefined {
  const [, what] = Object.entries(NOBODYS).find(([kind]) => id.startsWith(ID_PREFIX[kind as IdKind])) ?? [];
  return what && `the id of a person or of what is theirs, and this is the id of ${what}`;
}

function isEmailLike(text: string): boolean {
  const [local = '', domain = '', ...more] = text.split('@');
  return more.length === 0 && local !== '' && domain.includes('.') && !/\s/.test(text);
}

function part(text: string): readonly string[] | string {
  if (!TOKEN.test(text)) return [];
  return text.length >= FEWEST_OF_A_PART ? [text] : `${FEWEST_OF_A_PART} characters of it`;
}

/**
 * The ending of a stored number, without prefixes: `+`, an international prefix, or the leading zero of national
 * numbers (in Russia and Kazakhstan an 8).
 */
function phoneNumbers(text: string): readonly string[] | string {
  if (!PHONE_SHAPE.test(text)) return [];
  const digits = digitsOf(text.replace(/\(0\)/g, ''));
  if (digits.length > MOST_PHONE_DIGITS) return [];
  if (digits.length <= TAX_END_DIGITS) return [];
  const forms = text.startsWith('+')
    ? [digits]
    : [
        digits,
        digits.replace(/^0+/, ''),
        digits.replace(/^0?11(?=\d{7})/, ''),
        digits.replace(/^8(?=\d{10}$)/, ''),
      ];
  const long = [...new Set(forms)].filter((form) => form.length >= FEWEST_PHONE_DIGITS);
  return long.length > 0 ? long : PHONE_END;
}

function taxEnd(text: string): string[] {
  const [, end] = TAX_END_SHAPE.exec(text) ?? [];
  return end === undefined ? [] : [digitsOf(end)];
}

/** A few digits beside a word may be of a name, `Studio 54`; more are a number or a date. `Tester42` is a word. */
function names(text: string): readonly string[] | string {
  if (text.includes('@') || !/\p{L}/u.test(text)) return [];
  const words = nameWords(text);
  const letters = words.join('');
  if (/\d/.test(text)) {
    const digits = words.filter((word) => /^\d+$/.test(word)).join('');
    const isToken = text.includes('_') && !/\s/.test(text);
    const isName = words.some((word) => /\p{L}.*\p{L}/u.test(word)) && digits.length <= MOST_NAME_DIGITS;
    return isName && !isToken ? words : [];
  }
  if (letters.length >= FEWEST_LETTERS || ONE_LETTER_IS_A_NAME.test(letters)) return words;
  return `${FEWEST_LETTERS} letters`;
}

const BESIDE_A_NAME = new Set(
  (
    'mr mrs ms miss mx dr prof sir madam jr sr herr frau fraulein senor senora senorita srta sra don dona ' +
    'monsieur madame mademoiselle m mme mlle born dob geboren geb nee ne nacido nacida named called'
  ).split(' '),
);

/** In the scripts that write no blank. */
const LONGEST_SURNAME = 4;
/** The blank behind a short word, which may be a part of the next. */
const BEHIND_A_PARTICLE = /(?<=(?:^|\s)\S{1,3})\s/g;

/**
 * The words of a name; without titles and the like, since a vault seldom has them; `Mac Donald` as one word; and a word
 * such as `王小明` as two.
 */
export function nameReadings(words: readonly string[]): readonly (readonly string[])[] {
  const bare = words.filter((word) => !BESIDE_A_NAME.has(word));
  const [first = '', ...others] = bare;
  // Composed: the words are decomposed, which divides a Korean syllable.
  const letters = Array.from(first.normalize('NFC'));
  const joined = bare.join(' ').replace(BEHIND_A_PARTICLE, '').split(' ');
  const isUndivided = others.length === 0 && ONE_LETTER_IS_A_NAME.test(first);
  const cuts = isUndivided ? Math.min(LONGEST_SURNAME, letters.length - 1) : 0;
  return [
    words,
    ...(bare.length === 0 || bare.length === words.length ? [] : [bare]),
    ...(joined.length < bare.length ? [joined] : []),
    ...Array.from({ length: cuts }, (_, at) =>
      [letters.slice(0, at + 1), letters.slice(at + 1)].map((part) => part.join('').normalize('NFKD')),
    ),
  ];
}

function underscored(text: string): string {
  return text.toLowerCase().replace(/[\s-]+/g, '_');
}
