/**
 * The base of every command: parses without leaking argv, finds the daemon, prints the result on stdout and
 * everything else on stderr, and ends with a truthful exit code (docs/architecture.md#command-line).
 *
 * It replaces two habits of oclif: usage errors that quote arguments (see usage.ts), and reading piped stdin for a
 * missing argument (`ignoreStdin` below).
 */
import { Command } from '@oclif/core/command';
import type { FlagInput, Input, ParserOutput } from '@oclif/core/interfaces';
import { parse } from '@oclif/core/parser';
import { createClient, type Client } from '../../client/client.ts';
import { isOperatorName, OPERATOR_RULE } from '../../contract/operator-name.ts';
import { NotSentError } from '../../client/unsent.ts';
import { commonFlags, type CommonFlags } from './flags.ts';
import { confirmLoss, terminalInput, type InputSource } from './input.ts';
import {
  connectionOf,
  findDaemon,
  type DaemonAccess,
  meantInstance,
  requireInstance,
  type Meant,
} from './daemon-access.ts';
import { mayRunDry } from './dry-run-commands.ts';
import {
  chooseInstance,
  isTerminal,
  readEnvironment,
  wantsColour,
  type ChosenInstance,
  type CliEnvironment,
} from './environment.ts';
import { idNamedBy, type NamesEntity, type Naming } from './entity-names.ts';
import { EXIT } from './exit-codes.ts';
import { CliError, UsageError } from './failure.ts';
import { FollowedCalls } from './followed-calls.ts';
import {
  chooseOutput,
  isStdoutSeenWithStderr,
  TABLE,
  wantsJson,
  type OutputChoice,
  COLOURED,
  PLAIN,
  printable,
  type Style,
  type View,
  dataWriter,
  type DataWriter,
} from './output.ts';
import { printableLines, printableStyled } from '../../kernel/text/terminal-text.ts';
import { requireNeeded, requireOrder, unwrapPasted } from './typed-arguments.ts';
import { inFlagWords, toUsageError } from './usage.ts';
import { reportFailure } from './report-failure.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the constraint of oclif's own signature
type Output = Record<string, any>;

const LINE_END = 0x0a;

export abstract class BaseCommand<Result = unknown> extends Command {
  /**
   * The program and the command's words come by themselves before an example, behind its title, unless it places the
   * program itself; `…` is the rest of an id.
   */
  static override examples: string[] = [];
  static override baseFlags = commonFlags;
  /** The command prints things as they happen, so there is no single result with ids. */
  static readonly isStream: boolean = false;

  readonly environment: CliEnvironment = readEnvironment();
  #common: CommonFlags = {};
  readonly #calls = new FollowedCalls({
    isShown: () => this.isForPeople && isTerminal(process.stderr),
    end: (failure) => {
      reportFailure(failure, { asJson: this.isJson, isDebugging: this.environment.isDebugging });
      process.exit();
    },
  });
  #client: Client | undefined;
  #access: Promise<DaemonAccess> | undefined;
  #output: OutputChoice = TABLE;
  #writer: DataWriter | undefined;

  abstract override run(): Promise<Result>;

  static async start(
    this: new (argv: string[], config: Command['config']) => BaseCommand,
    argv: string[],
    config: Command['config'],
  ): Promise<void> {
    await new this(argv, config)._run();
  }

  protected override async _run<T>(): Promise<T> {
    try {
      return (await this.run()) as T;
    } catch (error) {
      await this.#reportEnd(error);
      return undefined as T;
    } finally {
      this.#calls.release();
    }
  }

  async #reportEnd(error: unknown): Promise<void> {
    try {
      if (!(error instanceof NotSentError)) throw error;
      await this.#presentUnsent(error);
    } catch (failure) {
      const { flags: declared = {} } = this.ctor as { readonly flags?: FlagInput };
      const { withCause } = await import('./wrong-address.ts');
      const address = this.#common.instance === undefined ? this.environment.baseUrl : undefined;
      const caused = await withCause(failure, { environment: this.environment, address });
      reportFailure(inFlagWords(caused, { command: this.ctor.id, argv: this.argv, declared }), {
        asJson: this.isJson,
        isDebugging: this.environment.isDebugging,
      });
    }
  }

  protected override async parse<F extends Output, B extends Output, A extends Output>(
    options?: Input<F, B, A>,
    argv = this.argv,
  ): Promise<ParserOutput<F, B, A>> {
    const command = this.ctor;
    const declared = { ...command.baseFlags, ...command.flags };
    const args = Object.fromEntries(
      Object.entries(command.args).map(([name, arg]) => [name, { ...arg, name, ignoreStdin: true }]),
    );
    const flags = Object.fromEntries(
      Object.entries(declared).map(([name, flag]) => [
        name,
        // A flag that isn't given is false, as its type says. oclif would leave it undefined.
        { ...(flag.type === 'boolean' && { default: false }), ...flag, name },
      ]),
    );
    let parsed: ParserOutput<F, B, A>;
    try {
      parsed = await parse<F, B, A>(argv, { ...options, args, flags, context: this } as unknown as Input<
        F,
        B,
        A
      >);
      await this.#prepare(parsed.flags as CommonFlags);
    } catch (error) {
      throw toUsageError(error, command, argv);
    }
    requireNeeded(parsed, declared);
    unwrapPasted(parsed.args);
    unwrapPasted(parsed.flags);
    requireOrder({
      argv,
      values: parsed.args,
      args: command.args,
      flags: declared,
      command: command.id.replaceAll(':', ' '),
    });
    await this.#findEntities(parsed, { args: command.args, flags: command.flags });
    return parsed;
  }

  /** Replaces every other name of a user or business by its id; changes `parsed`. */
  async #findEntities(
    parsed: { args: object; flags: object },
    declared: { args: object; flags: object | undefined },
  ): Promise<void> {
    for (const part of ['args', 'flags'] as const) {
      const values = parsed[part] as Record<string, unknown>;
      const own: Record<string, Partial<NamesEntity>> = { ...declared[part] };
      for (const [name, { names, ...takes }] of Object.entries(own)) {
        const text = values[name];
        if (names === undefined || typeof text !== 'string') continue;
        const where = part === 'flags' ? `--${name}` : name.toUpperCase();
        values[name] = await this.entityId(text, { where, names, ...takes });
      }
    }
  }

  /** The id of the entity that a text names, for a command that takes an id; see entity-names.ts. */
  protected async entityId(given: string, naming: Naming): Promise<string> {
    const { tenant, live } = this.#common as { tenant?: string; live?: boolean };
    const flags = this.ctor.flags as Record<string, unknown> | undefined;
    return await idNamedBy(given, naming, {
      input: this.input,
      // A command for both environments searches both.
      clients: flags?.['live'] === undefined ? [this.client, this.#clientOf(true)] : [this.client],
      access: this.access,
      tenant,
      isLive: live === true,
      isDryRun: this.isDryRun,
      showsProgress: this.isForPeople,
    });
  }

  /** Applies the flags of every command. A command may have its own flag with the same name. */
  async #prepare(flags: CommonFlags): Promise<void> {
    const { baseFlags, id, isStream } = this.ctor as typeof BaseCommand;
    // Undefined, whatever its type says, if the command has no flags of its own.
    const own = { ...(this.ctor.flags as Record<string, unknown> | undefined) };
    const isOwn = (name: 'field' | 'dry-run') => own[name] !== undefined && own[name] !== baseFlags[name];
    requireOperatorName(flags.as, this.environment.operator);
    this.#common = { ...flags, ...(isOwn('dry-run') && { 'dry-run': false }) };
    const choice = chooseOutput({ ...flags, field: isOwn('field') ? [] : flags.field });
    if (isStream && choice.kind === 'id')
      throw new UsageError(
        '--output id is not available for a stream; --field id prints a member of each item',
      );
    const { 'dry-run': isDry = false, 'with-values': withValues = false } = this.#common;
    if (withValues && !isDry) throw new UsageError('--with-values needs --dry-run');
    if (isDry && !mayRunDry(id))
      throw new UsageError('--dry-run is for commands that call the API and do nothing else');
    if (isDry && choice.kind === 'id') throw new UsageError('--dry-run produces no id to print');
    this.#output = choice;
    this.#writer = await dataWriter(choice, process.stdout.isTTY);
  }

  /** The daemon's address and our credentials. Found on first use. */
  readonly access = (): Promise<DaemonAccess> => {
    return (this.#access ??= this.isDryRun
      ? import('./dry-run.ts').then(({ NOT_CONTACTED }) => NOT_CONTACTED)
      : this.find());
  };

  /** Finds the daemon anew, for a command that outlives it. Throws CliError 5 if none runs. */
  readonly find = (timeoutMs?: number): Promise<DaemonAccess> =>
    findDaemon(this.environment, this.#common.instance, timeoutMs);

  /** The person at the keyboard, from --as or KYCLONE_ACTOR. */
  get operator(): string | undefined {
    return this.#common.as ?? this.environment.operator;
  }

  /** The typed client. Uses the live key under `--live`, otherwise the sandbox key. */
  get client(): Client {
    return (this.#client ??= this.#clientOf(this.#common.live === true));
  }

  #clientOf(isLive: boolean): Client {
    const connection = async () => {
      const access = await this.access();
      const { apiKey } = this.environment;
      if (apiKey !== undefined && access.locator && !Object.values(access.keys).includes(apiKey)) {
        this.note('KYCLONE_API_KEY is not used, since it goes with KYCLONE_BASE_URL: this is tenant default');
      }
      return connectionOf(access, isLive, this.operator);
    };
    const client = createClient(connection, { sendsNothing: this.isDryRun });
    return this.isDryRun ? client : this.#calls.client(client);
  }

  /** The chosen instance, by name or by address. Rejects with UsageError. */
  readonly meant = (): Promise<Meant> => meantInstance(this.environment, this.#common.instance);

  /**
   * Like `meant`, whether it runs or not. Rejects with CliError 2 if the address belongs to none of this user's
   * instances.
   */
  readonly target = (): Promise<ChosenInstance> => this.meant().then(requireInstance);

  /** The named instance, whatever an address says: the place of this user's files. Rejects with UsageError. */
  protected get named(): Promise<ChosenInstance> {
    return chooseInstance(this.environment, this.#common.instance);
  }

  /** Whether JSON is requested before a `--`. Works even if the rest of the command line can't be parsed. */
  protected get isJson(): boolean {
    return wantsJson(this.argv);
  }

  /** Whether the result is shown as text for people, not as data. */
  get isForPeople(): boolean {
    return this.#output.kind === 'table' && !this.isJson && !this.isDryRun;
  }

  protected get wantsIds(): boolean {
    return this.#output.kind === 'id';
  }

  get isDryRun(): boolean {
    return this.#common['dry-run'] === true;
  }

  /** Prints the result: the API's body, the requested part of it, or its view. */
  protected present(result: Result, view: View<Result>): Result {
    if (this.#writer === undefined) this.print(view(result, this.style));
    else this.printLines(this.#partOf(result, this.#writer));
    return result;
  }

  /** The requested part of the result. If there is none, the failure names the changes that were made all the same. */
  #partOf(result: Result, writer: DataWriter): string | undefined {
    try {
      return writer.whole(result);
    } catch (error) {
      const { done } = this.#calls;
      if (!(error instanceof CliError) || done === undefined) throw error;
      throw new CliError(`${error.message}; ${done}`, error);
    }
  }

  /** Prints one item of a stream: a line of JSON, a document of YAML, its members, or its view. */
  protected presentEntry<Entry>(entry: Entry, view: View<Entry>): void {
    if (this.#writer === undefined) this.print(view(entry, this.style));
    else this.printLines(this.#writer.entry(entry));
  }

  /** One item of a stream as data; undefined if none of it is requested. */
  protected entryText(entry: unknown): string | undefined {
    return this.#writer?.entry(entry);
  }

  /** Like `print`, but prints an empty line for an empty text, and nothing for undefined. */
  private printLines(text: string | undefined): void {
    if (text !== undefined) process.stdout.write(`${text}\n`);
  }

  async #presentUnsent({ request }: NotSentError): Promise<void> {
    const { addressOf, describeUnsent } = await import('./dry-run.ts');
    const { curl, notes, result } = describeUnsent(request, {
      baseUrl: await addressOf(this.find),
      withValues: this.#common['with-values'] === true,
      isLive: this.#common.live === true,
    });
    if (this.#writer !== undefined) this.printLines(this.#writer.whole(result));
    else {
      this.print(curl);
      for (const note of notes) process.stderr.write(`${printableLines(note)}\n`);
    }
  }

  /** On a terminal only colours, tabs and line ends take effect, whatever a view let through. */
  protected print(text: string): void {
    if (text !== '') process.stdout.write(`${process.stdout.isTTY ? printableStyled(text) : text}\n`);
  }

  /**
   * Prints the bytes of a body unchanged. Where people see them beside stderr, what comes after a body without a last
   * line end begins a line of its own.
   */
  protected printBytes(bytes: Buffer): void {
    process.stdout.write(bytes);
    const isOpenLine = bytes.length > 0 && bytes.at(-1) !== LINE_END;
    if (isOpenLine && isStdoutSeenWithStderr()) process.stderr.write('\n');
  }

  /** Prints a line for people beside the result. Prints nothing for data output. */
  readonly note = (text: string): void => {
    if (this.isForPeople) process.stderr.write(`${printable(text)}\n`);
  };

  /** Opens a page whose address contains a token in a browser or on a phone; see open-privately.ts. */
  protected async openLink(link: string): Promise<void> {
    const { openLink } = await import('./open-privately.ts');
    await openLink(link, {
      isForPeople: this.isForPeople,
      hasDesktop: this.environment.hasDesktop,
      print: (text) => this.print(text),
      note: this.note,
    });
  }

  protected get style(): Style {
    const style = wantsColour(process.stdout) ? COLOURED : PLAIN;
    // A terminal that doesn't report its width has 0 columns.
    const { isTTY, columns } = process.stdout;
    return isTTY ? { ...style, ...(columns > 0 && { screen: columns }) } : { ...style, width: Infinity };
  }

  /** The source of values that are not on the command line. */
  get input(): InputSource {
    return terminalInput(this.environment.isInteractive);
  }

  /** For predicates, and for child processes whose exit code is passed on. Does not clear an earlier failure. */
  protected endWith(exitCode: number): void {
    if (exitCode !== EXIT.ok) process.exitCode = exitCode;
  }

  /** Asks for confirmation before something is destroyed; see input.ts. */
  protected async confirmLoss(what: string): Promise<void> {
    await confirmLoss(what, {
      isAgreed: this.#common.yes === true || this.isDryRun,
      isInteractive: this.environment.isInteractive,
      client: this.client,
    });
  }
}

/** Throws UsageError, which doesn't contain the name. */
function requireOperatorName(flag: string | undefined, variable: string | undefined): void {
  const name = flag ?? variable;
  if (name === undefined || isOperatorName(name)) return;
  throw new UsageError(`${flag === undefined ? 'KYCLONE_ACTOR' : '--as'} takes a name: ${OPERATOR_RULE}`);
}
