/**
 * Mistakes on the command line, reported without the input. An argument can contain a social security number, and
 * oclif's parser quotes arguments and flag values. Messages here contain only names that the command itself declares,
 * and flag names that are plain words.
 *
 * The daemon's errors about a member, a header or a query parameter are reported in terms of the command line: `--ttl
 * must be …` if `--ttl` was typed. Other messages stay unchanged, as do members without a typed flag. A hint that
 * advises a member names its flag.
 */
import type { Command } from '@oclif/core/command';
import { CliError, describeFailure, UsageError } from './failure.ts';
import { durationText } from '../../kernel/time/duration.ts';
import { didYouMean } from '../../kernel/text/nearest.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import { ApiError, UnsendableError } from '../../client/errors.ts';
import { flagOfSeveralWords, severalWords } from './typed-arguments.ts';

// Members of requests that have another name on the command line, for errors in the words of the command line.

const OF_RUN = {
  key: 'playbook',
  fixture_result: 'result',
  allow_reonboard: 'no-reonboard',
  onboarding_external_id: 'external-id',
};

/** By the command or its topic: the flag or argument that gives the member. */
export const MEMBER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { environment: 'live', kinds: 'kind', onboarding_id: 'onboarding', enabled: 'disabled' },
  'audit:list': { fp_id: 'entity', q: 'search' },
  'bank:links': { fp_id: 'id' },
  'bank:holdings': { account_ids: 'account' },
  'webhooks:deliveries': { q: 'search' },
  'decisions:create': { reviewer_email: 'reviewer' },
  'users:compare': { with: 'other' },
  'users:verify': { values: 'also' },
  'users:request-info': { fields: 'field' },
  'businesses:compare': { with: 'other' },
  'businesses:verify': { values: 'also' },
  'users:token': { scopes: 'scope', decrypt_reason: 'reason' },
  'businesses:token': { scopes: 'scope', decrypt_reason: 'reason' },
  faults: { match: 'path' },
  console: { is_readonly: 'readonly', permissions: 'permission' },
  keys: { scopes: 'scope', permissions: 'permission', enabled: 'enable' },
  'users:cip': { account_id: 'account', default_approver: 'approver' },
  'users:cip-report': { default_approver: 'approver' },
  'users:kyc': { ...OF_RUN, generate_link_on_stepup: 'link-on-step-up' },
  'businesses:kyb': OF_RUN,
  'businesses:owners': { fp_id: 'add', ownership_stake: 'add' },
  'vault:decrypt': { fields: 'identifiers', transforms: 'transform', version_at: 'at-time' },
  'vault:delete': { fields: 'identifiers', delete_all: 'all' },
  'webhooks:trigger': { webhook_id: 'to', body: 'set' },
  'onboardings:start': { key: 'playbook', onboarding_external_id: 'external-id' },
  'onboardings:token': {
    key: 'playbook',
    fp_bid: 'business',
    limit_auth_methods: 'limit-auth-method',
    ttl_min: 'ttl',
  },
  'onboardings:complete': { business_data: 'fields', fixture_result: 'result' },
  'onboardings:sessions': { fp_id: 'entity' },
  'onboardings:validate': { validation_token: 'token' },
  outcomes: {
    match: 'where',
    'match.playbook_key': 'playbook',
    signals: 'add-signal',
    'signals.remove': 'remove-signal',
  },
  'outcomes:update': { enabled: 'enable' },
  playbooks: {
    requirements: 'require',
    has_rules: 'rules',
    owners_playbook_key: 'owners-playbook',
    documents: 'document',
  },
  'proxy:configs': {
    url: 'target',
    access_reason: 'reason',
    headers: 'header',
    secret_headers: 'secret-header',
    pins: 'pin-cert',
    client_identity: 'client-cert',
    'client_identity.key': 'client-key',
  },
  'proxy:configs:update': { enabled: 'enable' },
  'vault:integrity': { fields: 'identifiers' },
  webhooks: { kinds: 'events', webhook_id: 'webhook', event_id: 'event' },
  'webhooks:update': { enabled: 'enable' },
  'webhooks:resend': { webhook_id: 'to' },
};

/** The flag or argument of a member, by the most particular entry. Others have its name, without a unit. */
export function givenAs(commandId: string, member: string): string {
  const words = commandId.split(':');
  for (let length = words.length; length >= 0; length -= 1) {
    const found = MEMBER_NAMES[words.slice(0, length).join(':')]?.[member];
    if (found !== undefined) return found;
  }
  return member.replace(/_ms$/, '').replaceAll('_', '-');
}

type CommandClass = Pick<typeof Command, 'args' | 'flags' | 'baseFlags' | 'id'>;

const FLAG_WORD = /^--?[a-z][a-z-]*$/;

/** Converts an error of oclif's parser into a UsageError. Passes our own errors through. */
export function toUsageError(error: unknown, command: CommandClass, argv: readonly string[]): Error {
  if (error instanceof UsageError) return new UsageError(withoutPrefix(error.message), error.hint);
  if (!(error instanceof Error)) return new UsageError('The command line cannot be read', helpHint(command));
  const flags = { ...command.baseFlags, ...command.flags };
  const tooMany = unexpectedArguments(error, command);
  if (tooMany !== undefined) {
    const flag = flagOfSeveralWords(argv, flags);
    if (flag !== undefined) return severalWords(flag);
    return new UsageError(tooMany, `a text of several words needs quotes; ${helpHint(command)}`);
  }
  const message =
    unknownFlags(error, Object.keys(flags)) ??
    missingArguments(error) ??
    wrongChoice(error, flags, command.args) ??
    plainMistake(error, flags);
  return new UsageError(message ?? 'The command line cannot be read', helpHint(command));
}

/** The parser prefixes errors of a flag's own `parse` with `Parsing --flag`. */
function withoutPrefix(message: string): string {
  return message.replace(/^Parsing --[\w-]+ \n\t/, '').replace(/\nSee more help with --help$/, '');
}

function helpHint(command: CommandClass): string {
  return `kyclone ${command.id.replaceAll(':', ' ')} --help`;
}

function unknownFlags(error: object, known: readonly string[]): string | undefined {
  if (!('flags' in error) || !Array.isArray(error.flags)) return undefined;
  return (error.flags as string[])
    .map((typed) => {
      const word = typed.split('=')[0] ?? '';
      if (!FLAG_WORD.test(word)) return 'Unknown flag (not shown: it may hold a value)';
      return `Unknown flag ${word}${didYouMean(word.replace(/^-+/, ''), known, '--')}`;
    })
    .join('. ');
}

function unexpectedArguments(error: object, { id, args }: CommandClass): string | undefined {
  if (!('args' in error) || !Array.isArray(error.args)) return undefined;
  const typed = error.args.filter((argument) => typeof argument === 'string');
  if (typed.length === 0) return undefined;
  const names = Object.keys(args).map((name) => name.toUpperCase());
  const takes = `kyclone ${id.replaceAll(':', ' ')} takes ${names.length === 0 ? 'none' : names.join(' ')}`;
  return typed.length === 1
    ? `One argument too many: ${takes} (not shown: it may hold a value)`
    : `${typed.length} arguments too many: ${takes} (not shown: they may hold values)`;
}

function missingArguments(error: object): string | undefined {
  if (!('args' in error) || !Array.isArray(error.args)) return undefined;
  const names = (error.args as { name?: string; description?: string }[]).map(({ name, description }) =>
    description === undefined ? (name ?? '') : `${name ?? ''} (${description})`,
  );
  return `Missing argument: ${names.join(', ')}`;
}

function wrongChoice(
  error: Error,
  flags: NonNullable<CommandClass['flags']>,
  args: CommandClass['args'],
): string | undefined {
  // Read to find a suggestion, but not repeated.
  const [, flag, typed = ''] = /^Expected (?:--([a-z-]+)=)?(.*) to be one of: /s.exec(error.message) ?? [];
  if (flag !== undefined) {
    const definition = flags[flag];
    if (definition?.type === 'option' && definition.options) {
      return `--${flag} takes one of: ${choices(definition.options, typed)}`;
    }
  }
  if (!error.message.startsWith('Expected ')) return undefined;
  const choice = Object.entries(args).find(([, { options }]) => options !== undefined);
  return choice && `${choice[0].toUpperCase()} is one of: ${choices(choice[1].options ?? [], typed)}`;
}

function choices(options: readonly string[], typed: string): string {
  return `${options.join(', ')}${didYouMean(typed.toLowerCase(), options)}`;
}

/** Parser messages that contain only a flag name. */
function plainMistake(error: Error, flags: NonNullable<CommandClass['flags']>): string | undefined {
  const match =
    /^Flag --([a-z-]+) (expects a value|can only be specified once|expects one of these values)/.exec(
      error.message,
    );
  if (match?.[1] !== undefined && Object.hasOwn(flags, match[1])) {
    const definition = flags[match[1]];
    const options = definition?.type === 'option' ? definition.options : undefined;
    if (match[2] === 'can only be specified once') return `--${match[1]} can be given once only`;
    return options ? `--${match[1]} takes one of: ${options.join(', ')}` : `--${match[1]} needs a value`;
  }
  const [before = '', after = ''] = error.message.split(' cannot also be provided when using --');
  const flag = Object.keys(flags).find((name) => before.includes(`--${name}=`));
  const [other = ''] = /^[a-z-]+/.exec(after) ?? [];
  if (flag !== undefined && Object.hasOwn(flags, other)) return `--${flag} and --${other} exclude each other`;
  const missing = [...error.message.matchAll(/Missing required flag ([a-z-]+)/g)].map(
    (found) => `--${found[1] ?? ''}`,
  );
  return missing.length === 0 ? undefined : `Missing flag: ${missing.join(', ')}`;
}

/** The member that a sentence is about, if a flag of that name was typed. */
const NAMED =
  /^(?:Query parameter |Header |The )?([a-z][a-z0-9_-]*(?:\[\d+\]|\.[a-z0-9_-]+)*)(?=: | (?!of ))/;
/** A member that helps: `take_over: true takes it over`. Its flag need not be typed. */
const ADVISED = /^([a-z_]+): true(?= )/;
/** Other codes are about the data: their messages name identifiers. */
const ABOUT_MEMBERS: ReadonlySet<string> = new Set([
  'invalid_request',
  'not_found',
  'conflict',
  'external_id_taken',
]);

interface TypedLine {
  /** The id of the command, such as `users:list`. */
  readonly command: string;
  readonly argv: readonly string[];
  readonly declared: Readonly<
    Record<
      string,
      {
        readonly aliases?: readonly string[] | undefined;
        readonly type?: 'boolean' | 'option';
        readonly helpValue?: string | readonly string[] | undefined;
      }
    >
  >;
}

/** The error itself, or the same one in terms of flags. */
export function inFlagWords(error: unknown, line: TypedLine): unknown {
  if (error instanceof UnsendableError) return new UnsendableError(messageInFlagWords(error.message, line));
  if (!(error instanceof ApiError)) return error;
  if (!ABOUT_MEMBERS.has(error.code)) {
    const failure = describeFailure(error);
    const hint = failure.hint === undefined ? undefined : advised(failure.hint, line);
    return hint === failure.hint ? error : new CliError(error.message, { ...failure, hint });
  }
  const { code, status, context, requestId, endpoint } = error;
  const message = messageInFlagWords(error.message, line);
  if (message === error.message) return error;
  return new ApiError({ code, message, status, context, requestId, endpoint });
}

function advised(text: string, { command, declared }: TypedLine): string {
  return text.replace(ADVISED, (whole, name: string) => {
    const flag = flagOf(name, command, Object.keys(declared));
    return flag?.startsWith('--no-') === true ? `leaving out ${flag}` : (flag ?? whole);
  });
}

function messageInFlagWords(message: string, line: TypedLine): string {
  const { command, argv, declared } = line;
  const isTyped = (flag: string) =>
    argv.some((word) => word === `--${flag}` || word.startsWith(`--${flag}=`));
  const typed = Object.entries(declared).flatMap(([name, { aliases = [] }]) =>
    [name, ...aliases].some(isTyped) ? [name] : [],
  );
  const sentences = withoutValue(message)
    .split('; ')
    .map((sentence) => {
      const flag = flagOf(NAMED.exec(sentence)?.[1] ?? '', command, typed);
      if (flag === undefined) return advised(sentence, line);
      const isDuration = declared[flag.slice(2)]?.helpValue === 'DURATION';
      // A flag has no way to say null.
      const inWords = sentence.replace(NAMED, flag).replace(', or null', '');
      return advised(isDuration ? inWords.replace(RANGE, durations) : inWords, line);
    });
  // Both values of a flag that is given twice may be wrong in the same way.
  return afterFlag(
    [...new Set(sentences)].join('; '),
    typed.filter((name) => declared[name]?.type !== 'boolean'),
    argv,
  );
}

const RANGE = /an integer(?: of (milliseconds|seconds))? from (-?\d+) to (-?\d+)(?: \([^)]*\))?/;

/** `from 1m to 1d`: the flag takes a duration, but the daemon's message is about milliseconds, or names seconds. */
function durations(_range: string, unit: string | undefined, from: string, to: string): string {
  const textOf = (bound: string) => {
    const ms = Number(bound) * (unit === 'seconds' ? SECOND_MS : 1);
    return `${ms < 0 ? '-' : ''}${durationText(ms)}`;
  };
  return `from ${textOf(from)} to ${textOf(to)}`;
}

const UNKNOWN = 'Unknown identifier';
/** A text that looks like an identifier, or like a part of the suggested one. */
const NAMED_UNKNOWN = /^: (?:[a-z_]+\.[\p{L}\p{N}_.:*…-]+|[\w.:*-]+(?=; did))(?:; did you mean [^;]+)?$/u;

/** Anything else that was typed in place of an identifier can be a value: `vault get FP_ID id.ssn9=…`. */
function withoutValue(message: string): string {
  const isShown = !message.startsWith(UNKNOWN) || NAMED_UNKNOWN.test(message.slice(UNKNOWN.length));
  return isShown
    ? message
    : `${UNKNOWN} (not shown: it may hold a value); identifiers look like id.first_name`;
}

/** `Unknown identifier: id.x` behind the flag that has the identifier in its value: `--permission decrypt:id.x`. */
function afterFlag(message: string, typed: readonly string[], argv: readonly string[]): string {
  const [, identifier] = /^Unknown identifier: ([^;\s]+)/.exec(message) ?? [];
  const at = argv.findIndex((word) => identifier !== undefined && word.split(/[:=,]/).includes(identifier));
  const flag = typed.find((name) => argv[at]?.startsWith(`--${name}=`) || argv[at - 1] === `--${name}`);
  return flag === undefined ? message : `--${flag}: ${message}`;
}

function flagOf(name: string, command: string, typed: readonly string[]): string | undefined {
  const whole = name.replace(/^x-|\[\d+\]/g, '');
  const parts = whole.split('.');
  const names = [parts.at(-1) ?? '', whole, parts[0] ?? ''];
  const flags = names.flatMap((each) => [givenAs(command, each), each.replaceAll('_', '-')]);
  const flag = flags.find((each) => typed.includes(each));
  return flag === undefined ? undefined : `--${flag}`;
}
