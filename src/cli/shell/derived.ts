/**
 * Commands from data: the endpoint, the arguments and flags, and the view of what it returns. They stand in tables,
 * such as `nouns/notes/commands.ts`; a command that does more is a class by hand.
 *
 * Arguments and flags become the parameters, query and body by their names: `{fp_id}` of the path is the argument
 * `fp_id` (`{link_id}` may be `link`), and `--page-size` is `page_size`. A GET has them in the query, and so has a
 * DELETE without `--reason`; the others have them in the body. The flags of flags.ts mean the same in every command:
 * `--yes`, `--ignore-luhn`, `--tenant` and `--live`. Where names or values differ, `send` says what is sent.
 */
import type { Arg } from '@oclif/core/interfaces';
import type { CallKey } from '../../client/client.ts';
import { entityEndpoint, type EntityKey } from '../../client/entity-endpoint.ts';
import type { ParamsOf } from '../../contract/endpoint.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { BaseCommand } from './base-command.ts';
import { withOptionalValues } from './command-line.ts';
import { EXIT } from './exit-codes.ts';
import { UsageError } from './failure.ts';
import { emptyFlag, LEAVE_OUT, luhnHeader, type FlagValues } from './flags.ts';
import type { Style } from './output.ts';

type None = Record<never, never>;
type Key = CallKey | EntityKey;
/** `GET /{entity}/vault` is typed as the user's endpoint; see entity-endpoint.ts. */
type Endpoint<K extends Key> = K extends CallKey
  ? K
  : K extends `${infer Method} /{entity}${infer Rest}`
    ? Extract<CallKey, `${Method} /users/{fp_id}${Rest}`>
    : never;
type Answer<K extends Key> = AnswerOf<Endpoint<K>>;

type Snake<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}_${Snake<Tail>}` : Name;
type Shared = 'yes' | 'live' | 'cursor' | 'page' | 'page-size' | 'ignore-luhn';
type InPath<K extends string> = keyof ParamsOf<K>;
type MayMiss<T> = T extends unknown
  ? { [Name in keyof T]: None extends Pick<T, Name> ? T[Name] | undefined : T[Name] }
  : never;
type NameIn<T> = T extends unknown ? keyof T : never;

/** The body of a DELETE has its reason only; it may lack a query or a body. */
type IfAny<B> = [NonNullable<B>] extends [never] ? unknown : NonNullable<B>;

type Part<K extends Key> = K extends `GET ${string}`
  ? RequestOf<Endpoint<K>>['query']
  : K extends `DELETE ${string}`
    ? IfAny<RequestOf<Endpoint<K>>['query']> & IfAny<RequestOf<Endpoint<K>>['body']>
    : RequestOf<Endpoint<K>>['body'];
/** What the caller may send: the members of the body, or of the query for a method without one. */
type Accepted<K extends Key> = MayMiss<NonNullable<Part<K>>>;
type Sent<K extends Key, A, F> = {
  [
    Name in keyof A as Name extends InPath<K> | 'fp_id' | 'fp_bid'
      ? never
      : `${Name & string}_id` extends InPath<K>
        ? never
        : Name
  ]: A[Name];
} & {
  [
    Name in keyof F as Name extends Shared | ('live' extends keyof F ? 'tenant' : never) ? never : Snake<Name>
  ]: F[Name];
};
type NeedsSend = { readonly send: unknown };
/** Names or values that the endpoint doesn't know need `send`, and so do members that it requires. */
type Fits<K extends Key, A, F> = [keyof Sent<K, A, F>] extends [never]
  ? undefined extends Part<K>
    ? unknown
    : None extends Accepted<K>
      ? unknown
      : NeedsSend
  : [keyof Sent<K, A, F>] extends [NameIn<Accepted<K>>]
    ? Sent<K, A, F> extends Accepted<K>
      ? unknown
      : NeedsSend
    : NeedsSend;
type Unnamed<Name, A> = Name extends keyof A | 'entity'
  ? never
  : Name extends `${infer Short}_id`
    ? Exclude<Name, Short extends keyof A ? Name : never>
    : Name;
/** Parameters of the path that no argument is named as need `params`. */
type Leads<K extends Key, A> = [Unnamed<InPath<K>, A>] extends [never]
  ? unknown
  : { readonly params: unknown };

/** The arguments and flags of a command, as they were given. */
export interface Given<A, F> {
  readonly args: A;
  readonly flags: F;
}

/** What a command's call may use besides the given. */
export type From = Pick<
  BaseCommand,
  | 'client'
  | 'input'
  | 'environment'
  | 'config'
  | 'isForPeople'
  | 'isDryRun'
  | 'operator'
  | 'access'
  | 'find'
  | 'meant'
  | 'target'
  | 'note'
>;

type Note = string | readonly string[] | undefined;

interface Shown<A, D, R, S = undefined, G = Given<A, FlagValues<D>>> {
  readonly summary: string;
  readonly description?: string;
  /** At least two; see BaseCommand. */
  readonly examples: readonly string[];
  readonly aliases?: string[];
  readonly args?: { [Name in keyof A]: Arg<A[Name]> };
  readonly flags?: D;
  /** Flags whose value is optional; see `withOptionalValues`. */
  readonly optionalValues?: readonly string[];
  /** What is lost, for the question that comes first. */
  readonly confirm?: string | ((given: G) => string);
  /** What only people see beside the result. */
  readonly beside?: (result: R, given: G, from: From) => Promise<S>;
  /** By default `Deleted`. */
  readonly view?: (result: R, style: Style, given: G, beside: S) => string;
  /** Lines on stderr, for people, before the result. */
  readonly note?: (result: R, given: G, beside: S, from: From) => Note | Promise<Note>;
  /** The same, after it. */
  readonly next?: (result: R, given: G) => Note;
  /** Whether the call needs the name of its operator. */
  readonly isNamed?: true;
  /** Whether the result ends the command with exit code 1, or with another one. */
  readonly fails?: (result: R, given: G) => boolean | number;
}

type Texts = Readonly<Record<string, string>>;

interface Definition<K extends Key, A, D, S> extends Shown<A, D, Answer<K>, S> {
  /** Parameters of the path whose names differ from the arguments'. */
  readonly params?: (args: A, from: From) => Texts | Promise<Texts>;
  readonly headers?: (given: Given<A, FlagValues<D>>) => Readonly<Record<string, string | undefined>>;
  /** The longest time that the call may take, unless it is the client's. */
  readonly timeoutMs?: number;
  /**
   * The members of body or query. Those that are undefined are left out, and those of shared flags come by themselves.
   */
  readonly send?: (given: Given<A, FlagValues<D>>, from: From) => Accepted<K> | Promise<Accepted<K>>;
  /** Makes the result of the response; by default it is the result. */
  readonly after?: (
    answer: Answer<K>,
    given: Given<A, FlagValues<D>>,
    from: From,
  ) => Answer<K> | Promise<Answer<K>>;
}

/** A command that makes the call of an endpoint. */
export function derived<K extends Key, A = None, D extends object = None, S = undefined>(
  key: K,
  definition: Definition<K, A, D, S> & Fits<K, A, FlagValues<D>> & Leads<K, A>,
): typeof BaseCommand<Answer<K>> {
  const { params, headers, timeoutMs, send, after, ...shown }: Definition<K, A, D, S> = definition;
  const command = made<Answer<K>, A, D, S>(shown, async (given, from) => {
    const request = requestOf(key, {
      args: { ...given.args, ...(await params?.(given.args, from)) },
      flags: { ...given.flags },
      names: Object.keys(shown.flags ?? {}),
      sent: await send?.(given, from),
    });
    const client = from.client as { call(key: string, options: object): Promise<Answer<K>> };
    const options = { ...request.options, ...defined({ headers: headers?.(given), timeoutMs }) };
    const answer = await client.call(request.key, options);
    return after === undefined ? answer : await after(answer, given, from);
  });
  return Object.assign(command, { endpoint: key });
}

/** A command whose result comes from several calls, from a part of an answer, or from none. */
export function made<R, A = None, D extends object = None, S = undefined>(
  { args: ownArgs, flags: ownFlags, confirm, ...shown }: Shown<A, D, R, S>,
  resultOf: (given: Given<A, FlagValues<D>>, from: From) => R | Promise<R>,
): typeof BaseCommand<R> {
  return class extends BaseCommand<R> {
    static override summary = shown.summary;
    static override description = shown.description;
    static override examples = [...shown.examples];
    static override aliases = shown.aliases ?? [];
    static override args = ownArgs ?? {};
    static override flags = ownFlags ?? {};

    async run(): Promise<R> {
      const { args, flags } = await this.parse({}, withOptionalValues(this.argv, shown.optionalValues ?? []));
      const given = { args: args as A, flags: flags as FlagValues<D> };
      if (shown.isNamed && this.operator === undefined)
        throw new UsageError('The command needs your name', 'give --as NAME, or set KYCLONE_ACTOR');
      if (confirm !== undefined)
        await this.confirmLoss(typeof confirm === 'string' ? confirm : confirm(given));
      const result = await resultOf(given, this);
      // Neither a view nor a note is shown to anybody else.
      const beside = (this.isForPeople ? await shown.beside?.(result, given, this) : undefined) as S;
      if (this.isForPeople) this.#notes(await shown.note?.(result, given, beside, this));
      // True is 1, EXIT.failed.
      this.endWith(Number(shown.fails?.(result, given) ?? EXIT.ok));
      this.present(result, (whole, style) => shown.view?.(whole, style, given, beside) ?? 'Deleted');
      this.#notes(shown.next?.(result, given));
      return result;
    }

    #notes(lines: Note): void {
      for (const line of [lines].flat()) if (line !== undefined) this.note(line);
    }
  };
}

interface Typed {
  readonly args: Readonly<Record<string, unknown>>;
  readonly flags: Readonly<Record<string, unknown>>;
  /** The command's own flags, in their order. */
  readonly names: readonly string[];
  readonly sent: object | undefined;
}

/** The call for what was typed. The client takes no body, not even an empty one, for an endpoint without members. */
function requestOf(given: string, { args, flags, names, sent }: Typed): { key: string; options: object } {
  const { key, params: entity } = given.includes(' /{entity}')
    ? entityEndpoint(given as EntityKey, String(args['fp_id'] ?? args['fp_bid']))
    : { key: given, params: {} };
  const [method = '', path = ''] = key.split(' ');
  const own = new Map(Object.entries(args));
  const params = new Map<string, unknown>();
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    // A business has no endpoint of its own at `/_kyclone/entities/{fp_id}`.
    const argument = [name, name.replace(/_id$/, ''), 'fp_bid'].find((each) => own.has(each)) ?? name;
    params.set(name, own.get(argument));
    own.delete(argument);
  }
  const shared: Record<string, unknown> = {};
  for (const name of names) {
    const value = flags[name] === false ? undefined : flags[name];
    const isSpace = name === 'tenant' && names.includes('live');
    if (name === 'live') shared['environment'] = path.startsWith('/_kyclone/') && value ? 'live' : undefined;
    else if (isSpace || SHARED.has(name)) shared[name.replace('-', '_')] = value;
    else if (name !== 'yes' && name !== 'ignore-luhn') own.set(name.replaceAll('-', '_'), value);
  }
  for (const name of ['fp_id', 'fp_bid']) own.delete(name);
  const members = defined(sent ?? Object.fromEntries(own));
  const isInQuery = method === 'GET' || (method === 'DELETE' && !names.includes('reason'));
  const emptied = names.find((name) => isInQuery && name !== 'cursor' && [flags[name]].flat().includes(''));
  if (emptied !== undefined) throw new UsageError(emptyFlag(emptied), LEAVE_OUT);
  // A DELETE whose reason is not given has no body, as the endpoint allows.
  const isSent = sent !== undefined || (method === 'DELETE' ? Object.keys(members).length : own.size) > 0;
  const options = {
    params: { ...Object.fromEntries(params), ...entity },
    query: { ...(isInQuery && members), ...defined(shared) },
    ...('ignore-luhn' in flags && { headers: luhnHeader({ 'ignore-luhn': flags['ignore-luhn'] === true }) }),
    ...(!isInQuery && isSent && { body: members }),
  };
  return { key, options };
}

const SHARED: ReadonlySet<string> = new Set(['cursor', 'page', 'page-size']);
