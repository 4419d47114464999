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

export const fieldFlags = {
  data: string({ summary: 'a JSON object of fields: JSON, @FILE or - for stdin', helpValue: 'JSON' }),
  'ignore-luhn': boolean({ summary: 'skip the card checksum' }),
};

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

export const entityArg = {
  fp_id: stringArg({ description: 'id of a user (fp_id_…) or a business (fp_bid_…)', required: true }),
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
