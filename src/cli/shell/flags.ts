/**
 * Flags and arguments: those of every command, and those that several commands share; pages by cursor and by number
 * (contract §0.9), and the tenant and environment of a control call (contract §11).
 */
import { boolean, string, custom } from '@oclif/core/flags';
import { string as stringArg } from '@oclif/core/args';
import type { BooleanFlag, OptionFlag } from '@oclif/core/interfaces';
import { OUTPUTS } from './output.ts';
import { givenReason } from '../../kernel/text/text.ts';
import type { NamedKind, NamesEntity } from './entity-names.ts';
import { parsed, UsageError } from './failure.ts';
import { FIELD_HELP } from './fields.ts';
import type { InputSource } from './input.ts';

/** A flag that may be given several times, each time with one value. */
export const repeatable = { multiple: true, multipleNonGreedy: true } as const;

export const commonFlags = {
  instance: string({
    summary: 'the instance to use (default: $KYCLONE_BASE_URL, $KYCLONE_INSTANCE, the project\'s, "default")',
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
    summary: 'format of the result; id prints only ids, one per line',
    options: OUTPUTS,
    helpValue: 'FORMAT',
    helpGroup: 'GLOBAL',
  }),
  field: string({
    summary: 'print this member of the result, such as data[].id; repeatable: columns with tabs',
    helpGroup: 'GLOBAL',
    helpValue: 'PATH',
    ...repeatable,
  }),
  'dry-run': boolean({ summary: 'send nothing, print the request as a curl command', helpGroup: 'GLOBAL' }),
  'with-values': boolean({ summary: 'with --dry-run, print the values too', helpGroup: 'GLOBAL' }),
};

/** The values of flags by their definitions. */
export type FlagValues<D> = {
  readonly [Name in keyof D]: D[Name] extends BooleanFlag<infer Value> | OptionFlag<infer Value>
    ? Value
    : never;
};

/** An integer from `min` to `max`. The error doesn't contain the input. */
export const integerFlag = custom<number, { min: number; max?: number }>({
  parse: (text, _context, { min, max = Number.MAX_SAFE_INTEGER, name }) => {
    const value = Number(text);
    const isIn = /^-?\d{1,15}$/.test(text) && value >= min && value <= max;
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`;
    return parsed(isIn ? value : undefined, `--${name} takes a whole number, ${range}`);
  },
});

/** The flag, refused without one of these flags or arguments, because it would be ignored; see requireNeeded. */
export function needing<Flag extends object>(flag: Flag, ...needs: readonly string[]): Flag {
  return { ...flag, needs };
}

/** The reason for a decryption. Spaces alone, or a value of a person alone, are not a reason. */
export const reasonFlag = custom({
  helpValue: 'TEXT',
  parse: async (text, _context, { name }) =>
    await inWords(
      await parsed(givenReason(text), `--${name} must give a reason, not only spaces`),
      `--${name}`,
    ),
});

export const whyFlag = { reason: reasonFlag({ summary: 'why, for the access log' }) };

/** The reason of a decryption, from the flag or a prompt. */
export async function reasonOf(flag: string | undefined, input: Pick<InputSource, 'line'>): Promise<string> {
  const reason = givenReason(flag ?? (await input.line('Reason (--reason)')));
  if (reason === undefined) throw new UsageError('Reason (--reason): a reason needs text, not only spaces');
  return await inWords(reason, 'Reason (--reason)');
}

/** The reason; `named`: its flag or question. Throws UsageError for a value of a person alone. */
export async function inWords(reason: string, named: string): Promise<string> {
  // Loaded here: most commands take no reason, and a start stays fast.
  const { personalReason } = await import('../../kernel/text/personal-text.ts');
  const problem = personalReason(reason, named);
  if (problem !== undefined) throw new UsageError(problem);
  return reason;
}

export const liveFlag = {
  live: boolean({ summary: 'use the live key instead of the sandbox key', helpGroup: 'GLOBAL' }),
};

export const yesFlag = {
  yes: boolean({ char: 'y', summary: "don't ask for confirmation before an irreversible action" }),
};

/** The opposite of another flag. The parser refuses both together. */
export const opposite = (other: string, summary: string) => boolean({ summary, exclusive: [other] });

/** What a flag and its opposite ask for; undefined for neither. */
export const eitherOf = (on = false, off = false) => (on || off ? on : undefined);

/** The values of the flags of every command. A command may have its own flag with the same name. */
export type CommonFlags = Partial<FlagValues<typeof commonFlags & typeof liveFlag & typeof yesFlag>>;

export const pageFlags = {
  cursor: string({ summary: 'where to continue: meta.next of the previous page', helpValue: 'CURSOR' }),
  'page-size': integerFlag({
    summary: 'entries per page, at most 100 (default: 20)',
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
    summary: 'media type of the file (default: by its extension, else application/octet-stream)',
    helpValue: 'TYPE',
    parse: (text) =>
      parsed(
        /^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/.exec(text)?.[0],
        '--content-type takes a media type, such as image/png',
      ),
  }),
};

export const trustFlag = {
  'trust-project': boolean({ summary: 'allow what the project file opens, this time' }),
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

const IDENTIFIER_HELP = 'data identifier, such as document.passport.front.image';

const whoHelp = (what: string) => `id of ${what}, an external id, or a search that finds only one`;
const ANYBODY = 'a user (fp_id_…) or a business (fp_bid_…)';

/** An argument that names users or businesses. The command receives an id: see BaseCommand. */
const entityOf = (names: NamedKind, what: string) =>
  Object.assign(stringArg({ description: whoHelp(what), required: true }), { names });

/** A flag that takes the id, the external id or another name of a user or business. */
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

export const entityArg = { fp_id: entityOf('entity', ANYBODY) };
export const userArg = { fp_id: entityOf('user', 'a user (fp_id_…)') };
export const businessArg = { fp_bid: entityOf('business', 'a business (fp_bid_…)') };
export const otherUserArg = { other: entityOf('user', 'another user') };
export const otherBusinessArg = { other: entityOf('business', 'another business') };
export const identifierArg = { identifier: stringArg({ description: IDENTIFIER_HELP, required: true }) };
/** One datum of a vault; optional, because a token can name it instead. */
export const optionalDatumArgs = {
  fp_id: Object.assign(stringArg({ description: whoHelp(ANYBODY) }), { names: 'entity' as const }),
  identifier: stringArg({ description: IDENTIFIER_HELP }),
};

export function pageQuery(flags: { cursor?: string | undefined; 'page-size'?: number | undefined }) {
  return { cursor: flags.cursor, page_size: flags['page-size'] };
}

export function luhnHeader(flags: { 'ignore-luhn': boolean }) {
  return { 'x-fp-ignore-luhn-validation': flags['ignore-luhn'] ? 'true' : undefined };
}

export const portFlag = (summary: string, helpValue = 'PORT') =>
  integerFlag({ summary, min: 0, max: 65_535, helpValue });

export const stopAfterFlag = {
  'stop-after': integerFlag({ summary: 'end after this many requests', min: 1, helpValue: 'N' }),
};

export const offsetFlags = {
  page: integerFlag({ summary: 'which page, starting at 0', min: 0, helpValue: 'N' }),
  'page-size': pageFlags['page-size'],
};

/** A text. An empty one, such as a variable of the shell that isn't set, would mean the default, or all. */
export const nonEmpty = custom({
  parse: (text, _context, { name }) => parsed(text || undefined, emptyFlag(name), LEAVE_OUT),
});

export const emptyFlag = (name: string) => `--${name} is empty`;
export const LEAVE_OUT = 'give a value, or leave the flag out';

export const spaceFlags = {
  tenant: nonEmpty({ summary: 'the tenant (default: "default")', helpValue: 'NAME' }),
  live: boolean({ summary: 'use the live environment instead of the sandbox', helpGroup: 'GLOBAL' }),
};

export interface SpaceQuery {
  readonly tenant: string | undefined;
  readonly environment: 'live' | undefined;
}

export function spaceQuery({ tenant, live }: { tenant?: string | undefined; live: boolean }): SpaceQuery {
  return { tenant, environment: live ? 'live' : undefined };
}
