/** Flags and arguments that several commands share. */
import { string as stringArg } from '@oclif/core/args';
import { boolean, custom, string } from '@oclif/core/flags';
import { givenReason } from '../../kernel/reason.ts';
import type { NamedKind } from './entity-names.ts';
import { UsageError } from './failure.ts';
import { FIELD_HELP } from './fields.ts';
import type { InputSource } from './input.ts';

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

/** Why something is decrypted. Blanks are no reason. */
export const reasonFlag = custom({
  helpValue: 'TEXT',
  parse: (text, _context, { name }) =>
    givenReason(text) === undefined
      ? Promise.reject(new UsageError(`--${name} must say why: blanks are no reason`))
      : Promise.resolve(text),
});

/** The reason of a decryption: the one of the flag, or what is typed when it is asked for. */
export async function reasonOf(flag: string | undefined, input: Pick<InputSource, 'line'>): Promise<string> {
  const reason = givenReason(flag ?? (await input.line('Reason (--reason)')));
  if (reason === undefined) throw new UsageError('Reason (--reason): say why; blanks are no reason');
  return reason;
}

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

export const trustFlag = {
  'trust-project': boolean({ summary: 'agree to what the project file opens, this time' }),
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

const ENTITY_ID_HELP = 'id of a user (fp_id_…) or a business (fp_bid_…), or an external id';
const IDENTIFIER_HELP = 'data identifier, such as document.passport.front.image';

/** What a command gets is an id: see BaseCommand. */
const named = <Definition extends object>(
  definition: Definition,
  names: NamedKind,
  takesPatterns = false,
): Definition => Object.assign(definition, { names, takesPatterns });

/** A flag that takes the id or the external id of a user or business. */
export function entityFlag(
  summary: string,
  {
    names = 'entity',
    takesPatterns = false,
    ...more
  }: { names?: NamedKind; takesPatterns?: boolean; helpValue?: string; exclusive?: string[] } = {},
) {
  return named(string({ summary, helpValue: 'ID', ...more }), names, takesPatterns);
}

export const entityArg = {
  fp_id: named(stringArg({ description: ENTITY_ID_HELP, required: true }), 'entity'),
};
export const identifierArg = { identifier: stringArg({ description: IDENTIFIER_HELP, required: true }) };
/** One datum of a vault, where something else may name it. */
export const optionalDatumArgs = {
  fp_id: named(stringArg({ description: ENTITY_ID_HELP }), 'entity'),
  identifier: stringArg({ description: IDENTIFIER_HELP }),
};
export const userArg = {
  fp_id: named(
    stringArg({ description: 'id of a user (fp_id_…), or an external id', required: true }),
    'user',
  ),
};
export const businessArg = {
  fp_bid: named(
    stringArg({ description: 'id of a business (fp_bid_…), or an external id', required: true }),
    'business',
  ),
};

/** Query members of a page. */
export function pageQuery(flags: { cursor?: string | undefined; 'page-size'?: number | undefined }) {
  return { cursor: flags.cursor, page_size: flags['page-size'] };
}

/** The header of `--ignore-luhn`. */
export function luhnHeader(flags: { 'ignore-luhn': boolean }) {
  return { 'x-fp-ignore-luhn-validation': flags['ignore-luhn'] ? 'true' : undefined };
}
