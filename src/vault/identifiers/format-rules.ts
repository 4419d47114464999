import { COUNTRY_CODES, US_STATE_CODES } from '../../contract/facts/countries.ts';
import { NO_SUCH_DAY } from '../../contract/facts/refusals.ts';
import { parseDate } from '../../kernel/time/civil-date.ts';
import { unexpectedCharacter } from '../../kernel/text/unexpected-character.ts';
import { REFUSED, withFound, type Refusal, inWords, type CleaningContext } from './rule.ts';
import type { JsonValue } from '../../kernel/text/json.ts';
import { TEXT_LIMIT_BYTES, text, typedText } from './text-rules.ts';
import type { TextCleaner } from './text-rules.ts';

/** An existing date in the Gregorian calendar, years 0001 to 9999. */
export const date: TextCleaner = typedText('a real date, YYYY-MM-DD', (value) => {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) {
    const found = unexpectedCharacter(value, /^[0-9-]$/);
    return withFound(
      REFUSED.DATE,
      found === undefined ? 'the digits are grouped otherwise' : `found ${found}`,
    );
  }
  const isReal = !value.startsWith('0000') && parseDate(value) !== undefined;
  return isReal ? value : withFound(REFUSED.DATE, NO_SUCH_DAY);
});

/** Two ASCII letters in upper case. Other letters are excluded, since upper-casing "ß" would give South Sudan. */
function twoLetterCode(codes: ReadonlySet<string>, refusal: Refusal): (value: string) => string | Refusal {
  return (value) => {
    const code = /^[A-Za-z]{2}$/.test(value) ? value.toUpperCase() : '';
    return codes.has(code) ? code : refusal;
  };
}

const usStateCode = twoLetterCode(US_STATE_CODES, REFUSED.ST);
const anyText = text();

export const country: TextCleaner = typedText(
  'an ISO 3166-1 alpha-2 country code, stored in upper case',
  twoLetterCode(COUNTRY_CODES, REFUSED.CTRY),
);
export const usState: TextCleaner = typedText('a US state code, stored in upper case', usStateCode);

/** Text; a US state code when the same request sets the country to the United States. */
export const state: TextCleaner = inWords(
  `${anyText.words ?? 'text'}; a US state code when the same request sets the country to US`,
  (value: JsonValue, situation: CleaningContext) => {
    const cleaned = anyText(value, situation);
    return typeof cleaned === 'string' && situation.isInUnitedStates ? usStateCode(cleaned) : cleaned;
  },
);

export const zip: TextCleaner = typedText('letters, digits, blanks and hyphens; under 1 KiB', (value) => {
  if (value.length > TEXT_LIMIT_BYTES) return REFUSED.LEN;
  return /^[A-Za-z0-9\- ]+$/.test(value) ? value : REFUSED.ZIP;
});

const EMAIL_LIMIT = 254;
const LOCAL_PART_LIMIT = 64;
const LABEL_LIMIT = 63;

function isHostLabel(label: string): boolean {
  return label.length >= 1 && label.length <= LABEL_LIMIT && !label.startsWith('-') && !label.endsWith('-');
}

function isMailDomain(domain: string): boolean {
  const labels = domain.split('.');
  return (
    labels.length >= 2 &&
    labels.every((label) => isHostLabel(label) && /^[A-Za-z0-9-]+$/.test(label)) &&
    /^(?:[A-Za-z]{2,}|xn--[A-Za-z0-9-]+)$/i.test(labels.at(-1) ?? '')
  );
}

/** An internationalised domain in the form of the name system (RFC 5890); empty when it has none. */
function asciiDomain(domain: string): string {
  if (/^[\0-\x7f]*$/.test(domain)) return domain;
  const isWritable = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) && domain.split('.').every(isHostLabel);
  if (!isWritable || !URL.canParse(`http://${domain}`)) return '';
  return new URL(`http://${domain}`).hostname;
}

export const email: TextCleaner = typedText(
  `an e-mail address of up to ${EMAIL_LIMIT} characters`,
  (value) => {
    if (value.length > EMAIL_LIMIT) return REFUSED.LEN;
    const [local = '', domain, ...rest] = value.split('@');
    const isAddress =
      domain !== undefined &&
      rest.length === 0 &&
      local.length <= LOCAL_PART_LIMIT &&
      local.split('.').every((atom) => /^[A-Za-z0-9!#$%&'*+\-/=?^_{}~`]+$/.test(atom)) &&
      isMailDomain(asciiDomain(domain));
    return isAddress ? value : REFUSED.MAIL;
  },
);

/** Phone numbers reserved for test users; a live vault refuses them (contract §0.12). */
const SANDBOX_PHONE_NUMBERS: ReadonlySet<string> = new Set(['+15555550100', '+15555550111']);

const PHONE_FORM = '+, the country code and 7 to 15 digits in all';

/** `number` is the value without its separators. */
function phoneProblem(value: string, number: string): string {
  const found = unexpectedCharacter(value, /^[-+. ()0-9]$/);
  if (found !== undefined) return `${PHONE_FORM}; found ${found}`;
  if (!number.startsWith('+')) return `${PHONE_FORM}; found no + at the beginning`;
  const isPlain = /^\+[1-9][0-9]*$/.test(number);
  return `${PHONE_FORM}; found ${isPlain ? 'too few or too many digits' : 'a 0 or another + behind the first +'}`;
}

export const phoneNumber: TextCleaner = typedText(
  'a phone number in E.164 form, + and 7 to 15 digits; blanks and - . ( ) are removed',
  (value, { isLive }) => {
    const number = value.replace(/[-. ()]/g, '');
    if (!/^\+[1-9][0-9]{6,14}$/.test(number)) return withFound(REFUSED.TEL, phoneProblem(value, number));
    return isLive && SANDBOX_PHONE_NUMBERS.has(number) ? REFUSED.SBX : number;
  },
);

function isBareHost(value: string): boolean {
  const labels = value.split('.');
  return labels.length >= 2 && labels.every(isHostLabel) && /^[^\s/\\?#@:]+$/.test(value);
}

/** An absolute http or https URL, or a bare host with a dot; kept as sent. */
export const webAddress: TextCleaner = typedText(
  'an http or https URL, or a host with a dot; kept as sent',
  (value) => {
    if (/^https?:\/\//i.test(value)) return !/\s/.test(value) && URL.canParse(value) ? value : REFUSED.URL;
    return isBareHost(value) && URL.canParse(`http://${value}`) ? value : REFUSED.URL;
  },
);
