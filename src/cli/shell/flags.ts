/**
 * Flags and arguments of the command line: those of every command, and those that several commands share; pages by
 * cursor and by number (contract §0.9), and the tenant and environment that a control call is about (contract §11).
 */
import { boolean, string, custom } from '@oclif/core/flags';
import { string as stringArg } from '@oclif/core/args';
import { OUTPUTS } from './output.ts';
import { givenReason } from '../../kernel/reason.ts';
import type { NamedKind, NamesEntity } from './entity-names.ts';
import { UsageError } from './failure.ts';
import { FIELD_HELP } from './fields.ts';
import type { InputSource } from './input.ts';

export const commonFlags = {
  instance: string({
    summary:
      'the instance to speak to (default: $KYCLONE_BASE_URL, $KYCLONE_INSTANCE, the project\'s, "default")',
    helpGroup: 'GLOBAL',
    helpValue: 'NAME',
  }),
  as: string({
    summary: 'who you are, for the access log and decisions (default: $KYCLONE_ACTOR)',
    helpGroup: 'GLOBAL',
    helpValue: 'NAME',
  }),
  json: boolean({ summary: 'print the result as JSON: --output json', helpGroup: 'GLOBAL' }),
  output: string({
    summary: 'print the result so; id prints what things are known by, a line each',
    options: OUTPUTS,
    helpValue: 'FORMAT',
    helpGroup: 'GLOBAL',
  }),
  field: string({
    summary: 'print this member of the result, such as data[].id; repeatable: columns with tabs',
    helpGroup: 'GLOBAL',
    helpValue: 'PATH',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'dry-run': boolean({ summary: 'send nothing, print the request as a curl command', helpGroup: 'GLOBAL' }),
  'with-values': boolean({ summary: 'print its values too, under --dry-run', helpGroup: 'GLOBAL' }),
};

/** What of them is given; a command may have one of its own under the same name. */
export interface CommonFlags {
  readonly instance?: string | undefined;
  readonly as?: string | undefined;
  readonly live?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly output?: string | undefined;
  readonly field?: readonly string[] | undefined;
  readonly 'dry-run'?: boolean;
  readonly 'with-values'?: boolean;
}

/** An integer from `min` to `max`; what was typed instead is not repeated. */
export const integerFlag = custom<number, { min: number; max?: number }>({
  parse: (text, _context, { min, max = Number.MAX_SAFE_INTEGER, name }) => {
    const value = Number(text);
    if (/^-?\d{1,15}$/.test(text) && value >= min && value <= max) return Promise.resolve(value);
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
    return Promise.reject(new UsageError(`--${name} takes a whole number, ${range}`));
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

const ENTITY_ID_HELP =
  'id of a user (fp_id_…) or a business (fp_bid_…), an external id, or what only one has';
const IDENTIFIER_HELP = 'data identifier, such as document.passport.front.image';

/** What a command gets is an id: see BaseCommand. */
const named = <Definition extends object>(definition: Definition, names: NamedKind): Definition =>
  Object.assign(definition, { names });

/** A flag that takes the id, the external id or something else of a user or business. */
export function entityFlag(
  summary: string,
  {
    names = 'entity',
    takesPatterns = false,
    takesParts = false,
    ...more
  }: Partial<NamesEntity> & { helpValue?: string; exclusive?: string[] } = {},
) {
  return Object.assign(string({ summary, helpValue: 'ID', ...more }), { names, takesPatterns, takesParts });
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
    stringArg({
      description: 'id of a user (fp_id_…), an external id, or what only one has',
      required: true,
    }),
    'user',
  ),
};
export const businessArg = {
  fp_bid: named(
    stringArg({
      description: 'id of a business (fp_bid_…), an external id, or what only one has',
      required: true,
    }),
    'business',
  ),
};

export const otherUserArg = {
  other: named(
    stringArg({ description: 'id of another user, an external id, or what only one has', required: true }),
    'user',
  ),
};
export const otherBusinessArg = {
  other: named(
    stringArg({
      description: 'id of another business, an external id, or what only one has',
      required: true,
    }),
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

export const offsetFlags = {
  page: integerFlag({ summary: 'which page, from 0 on', min: 0, helpValue: 'N' }),
  'page-size': pageFlags['page-size'],
};

export function offsetQuery(flags: { page?: number | undefined; 'page-size'?: number | undefined }) {
  return { page: flags.page, page_size: flags['page-size'] };
}

export const spaceFlags = {
  tenant: string({ summary: 'whose they are (default: "default")', helpValue: 'NAME' }),
  live: boolean({ summary: 'those of the live environment instead of the sandbox', helpGroup: 'GLOBAL' }),
};

/** Which tenant and environment a control call is about. */
export interface SpaceQuery {
  readonly tenant: string | undefined;
  readonly environment: 'live' | undefined;
}

export function spaceQuery({ tenant, live }: { tenant?: string | undefined; live: boolean }): SpaceQuery {
  return { tenant, environment: live ? 'live' : undefined };
}
