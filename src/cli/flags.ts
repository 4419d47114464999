/** Flags and arguments that several commands share. */
import { string as stringArg } from '@oclif/core/args';
import { boolean, custom, string } from '@oclif/core/flags';
import { UsageError } from './failure.ts';
import { FIELD_HELP } from './fields.ts';

/** An integer from `min` to `max`; what was typed instead is not repeated. */
export const integerFlag = custom<number, { min: number; max?: number }>({
  parse: (text, _context, { min, max = Number.MAX_SAFE_INTEGER, name }) => {
    const value = Number(text);
    if (/^-?\d{1,15}$/.test(text) && value >= min && value <= max) return Promise.resolve(value);
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
    return Promise.reject(new UsageError(`--${name} takes a whole number, ${range}`));
  },
});

const SECONDS_PER = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** A length of time, in seconds: `1800` or `90s`, `30m`, `2h`, `1d`. Whether it is allowed is for the daemon to say. */
export const secondsFlag = custom<number>({
  helpValue: 'TIME',
  parse: (text, _context, { name }) => {
    const [, digits, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? [];
    if (digits !== undefined) {
      return Promise.resolve(Number(digits) * SECONDS_PER[unit as keyof typeof SECONDS_PER]);
    }
    return Promise.reject(new UsageError(`--${name} takes seconds, or a number with s, m, h or d: 30m`));
  },
});

export const liveFlag = {
  live: boolean({ summary: 'use the live key instead of the sandbox key', helpGroup: 'GLOBAL' }),
};

export const yesFlag = {
  yes: boolean({ char: 'y', summary: "don't ask before what can't be undone" }),
};

export const pageFlags = {
  cursor: string({ summary: 'where to go on: meta.next of the page before', helpValue: 'CURSOR' }),
  'page-size': integerFlag({
    summary: 'entries on a page, 20 unless given, 100 at most',
    min: 1,
    helpValue: 'N',
  }),
};

export const luhnFlag = { 'ignore-luhn': boolean({ summary: 'skip the card checksum' }) };

export const fieldFlags = {
  data: string({ summary: 'a JSON object of fields: JSON, @FILE or - for stdin', helpValue: 'JSON' }),
  ...luhnFlag,
};

export const contentTypeFlag = {
  'content-type': string({
    summary: 'what the file is (default: by its extension, else application/octet-stream)',
    helpValue: 'TYPE',
    parse: (text) =>
      /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/.test(text)
        ? Promise.resolve(text)
        : Promise.reject(new UsageError('--content-type takes a media type, such as image/png')),
  }),
};

export const quietFlag = { quiet: boolean({ summary: 'show no progress' }) };

export const fieldsArg = { fields: stringArg({ description: FIELD_HELP, multiple: true }) };

export const identifiersArg = {
  identifiers: stringArg({ description: 'data identifiers, such as id.ssn9', multiple: true }),
};

export const someIdentifiersArg = {
  identifiers: stringArg({
    description: 'data identifiers, such as id.ssn9',
    multiple: true,
    required: true,
  }),
};

const ENTITY_ID_HELP = 'id of a user (fp_id_…) or a business (fp_bid_…)';
const IDENTIFIER_HELP = 'data identifier, such as document.passport.front.image';

export const entityArg = { fp_id: stringArg({ description: ENTITY_ID_HELP, required: true }) };
export const identifierArg = { identifier: stringArg({ description: IDENTIFIER_HELP, required: true }) };
/** One datum of a vault, where something else may name it. */
export const optionalDatumArgs = {
  fp_id: stringArg({ description: ENTITY_ID_HELP }),
  identifier: stringArg({ description: IDENTIFIER_HELP }),
};
export const userArg = { fp_id: stringArg({ description: 'id of a user (fp_id_…)', required: true }) };
export const businessArg = {
  fp_bid: stringArg({ description: 'id of a business (fp_bid_…)', required: true }),
};

/** Query members of a page. */
export function pageQuery(flags: { cursor?: string | undefined; 'page-size'?: number | undefined }) {
  return { cursor: flags.cursor, page_size: flags['page-size'] };
}

/** The header of `--ignore-luhn`. */
export function luhnHeader(flags: { 'ignore-luhn': boolean }) {
  return { 'x-fp-ignore-luhn-validation': flags['ignore-luhn'] ? 'true' : undefined };
}
