/**
 * What every command does alike: parse without leaking argv, find the daemon, print the result on stdout and anything
 * else on stderr, end with a truthful exit code (docs/architecture.md#command-line).
 *
 * Two habits of oclif are replaced here: its usage errors quote arguments (see usage.ts), and it takes piped stdin for
 * a missing argument (`ignoreStdin` below).
 */
import { Command } from '@oclif/core/command';
import type { Input, ParserOutput } from '@oclif/core/interfaces';
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
  readEnvironment,
  wantsColour,
  type ChosenInstance,
  type CliEnvironment,
} from './environment.ts';
import type { NamesEntity } from './entity-names.ts';
import { EXIT } from './exit-codes.ts';
import { UsageError } from './failure.ts';
import { readFields, readFieldsAndFiles } from './fields.ts';
import {
  chooseOutput,
  TABLE,
  wantsJson,
  type OutputChoice,
  COLOURED,
  PLAIN,
  printable,
  type Style,
  type View,
} from './output.ts';
import { printableLines, printableStyled } from '../../kernel/terminal-text.ts';
import { idNamedBy, putIds } from './named-ids.ts';
import { inFlagWords, toUsageError } from './usage.ts';
import { reportFailure } from './report-failure.ts';
import { dataWriter, type DataWriter } from './result-text.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the constraint of oclif's own signature
type Output = Record<string, any>;

export abstract class BaseCommand<Result = unknown> extends Command {
  static override baseFlags = commonFlags;
  /** Prints things as they happen: there is no one result to print the ids of. */
  static readonly isStream: boolean = false;

  protected readonly environment: CliEnvironment = readEnvironment();
  #common: CommonFlags = {};
  #client: Client | undefined;
  #access: Promise<DaemonAccess> | undefined;
  #output: OutputChoice = TABLE;
  #writer: DataWriter | undefined;

  abstract override run(): Promise<Result>;

  /** Runs the command with its arguments; the outcome is in the streams and in the exit code. */
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
    }
  }

  async #reportEnd(error: unknown): Promise<void> {
    try {
      if (!(error instanceof NotSentError)) throw error;
      await this.#presentUnsent(error);
    } catch (failure) {
      const { flags: own } = this.ctor as { readonly flags?: object };
      const declared = Object.keys(own ?? {});
      reportFailure(inFlagWords(failure, { argv: this.argv, declared }), {
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
    const args = Object.fromEntries(
      Object.entries(command.args).map(([name, arg]) => [name, { ...arg, name, ignoreStdin: true }]),
    );
    const flags = Object.fromEntries(
      Object.entries({ ...command.baseFlags, ...command.flags }).map(([name, flag]) => [
        name,
        // A flag that isn't given is false, as its type says; oclif would leave it undefined.
        { ...(flag.type === 'boolean' && { default: false }), ...flag, name },
      ]),
    );
    let parsed: ParserOutput<F, B, A>;
    try {
      parsed = await parse<F, B, A>(argv, {
        ...options,
        args,
        flags,
        context: this,
      } as unknown as Input<F, B, A>);
      await this.#prepare(parsed.flags as CommonFlags);
    } catch (error) {
      throw toUsageError(error, command);
    }
    await this.#findEntities(parsed, { args: command.args, flags: command.flags });
    return parsed;
  }

  /** Puts the id in the place of everything else that names users and businesses. */
  async #findEntities(
    parsed: { args: object; flags: object },
    declared: { args: object; flags: object | undefined },
  ): Promise<void> {
    for (const part of ['args', 'flags'] as const) {
      await putIds(
        parsed[part] as Record<string, unknown>,
        { ...declared[part] },
        {
          whereOf: (name) => (part === 'flags' ? `--${name}` : name.toUpperCase()),
          find: async (text, naming) => await this.entityId(text, naming),
        },
      );
    }
  }

  /** The id of whom a text names, where a command takes an id; see entity-names.ts. */
  protected async entityId(given: string, naming: { where: string } & NamesEntity): Promise<string> {
    const { tenant, live } = this.#common as { tenant?: string; live?: boolean };
    const flags = this.ctor.flags as Record<string, unknown> | undefined;
    return await idNamedBy(given, naming, {
      input: this.input,
      // A command that is about both environments looks into both.
      clients: flags?.['live'] === undefined ? [this.client, this.#clientOf(true)] : [this.client],
      access: async () => await this.access,
      ...{ tenant, isLive: live === true, isDryRun: this.isDryRun, showsProgress: this.isForPeople },
    });
  }

  /** What the flags of every command ask for. A command may have one of its own under the same name. */
  async #prepare(flags: CommonFlags): Promise<void> {
    const { baseFlags, id, isStream } = this.ctor as typeof BaseCommand;
    // Absent, whatever its type says, where a command has no flags of its own.
    const own = { ...(this.ctor.flags as Record<string, unknown> | undefined) };
    const isOwn = (name: 'field' | 'dry-run') => own[name] !== undefined && own[name] !== baseFlags[name];
    requireOperatorName(flags.as, this.environment.operator);
    this.#common = { ...flags, ...(isOwn('dry-run') && { 'dry-run': false }) };
    const choice = chooseOutput({ ...flags, field: isOwn('field') ? [] : flags.field });
    if (isStream && choice.kind === 'id')
      throw new UsageError('--output id is not for what goes on; --field id prints a member of each thing');
    const { 'dry-run': isDry = false, 'with-values': withValues = false } = this.#common;
    if (withValues && !isDry) throw new UsageError('--with-values goes with --dry-run');
    if (isDry && !mayRunDry(id))
      throw new UsageError('--dry-run is for commands that call the API and do nothing else');
    if (isDry && choice.kind === 'id') throw new UsageError('--dry-run has no id to print');
    this.#output = choice;
    this.#writer = await dataWriter(choice, process.stdout.isTTY);
  }

  /** The daemon: where it is and who we are to it. Found when first asked for. */
  protected get access(): Promise<DaemonAccess> {
    return (this.#access ??= this.isDryRun
      ? import('./dry-run.ts').then(({ UNSPOKEN }) => UNSPOKEN)
      : this.#find());
  }

  #find(): Promise<DaemonAccess> {
    return findDaemon(this.environment, this.#common.instance);
  }

  /** Who is at the keyboard: as --as or KYCLONE_ACTOR says. */
  protected get operator(): string | undefined {
    return this.#common.as ?? this.environment.operator;
  }

  /** The typed client; speaks with the live key under `--live`, else with the sandbox key. */
  protected get client(): Client {
    return (this.#client ??= this.#clientOf(this.#common.live === true));
  }

  #clientOf(isLive: boolean): Client {
    return createClient(async () => connectionOf(await this.access, isLive, this.operator), {
      sendsNothing: this.isDryRun,
    });
  }

  /** The instance that is meant, by name or by address. Rejects with UsageError. */
  protected get meant(): Promise<Meant> {
    return meantInstance(this.environment, this.#common.instance);
  }

  /** As `meant`, whether it runs or not. Rejects with CliError 2 where the address is none of this user's instances. */
  protected get target(): Promise<ChosenInstance> {
    return this.meant.then(requireInstance);
  }

  /**
   * The instance that is named, whatever an address says: where files of this user are kept. Rejects with UsageError.
   */
  protected get named(): Promise<ChosenInstance> {
    return chooseInstance(this.environment, this.#common.instance);
  }

  /** Whether JSON is asked for before a `--`; also known when the rest of the command line can't be parsed. */
  protected get isJson(): boolean {
    return wantsJson(this.argv);
  }

  /** Whether the result is shown in words: no data is asked for. */
  protected get isForPeople(): boolean {
    return this.#output.kind === 'table' && !this.isJson && !this.isDryRun;
  }

  /** Whether nothing but ids is to be printed. */
  protected get wantsIds(): boolean {
    return this.#output.kind === 'id';
  }

  protected get isDryRun(): boolean {
    return this.#common['dry-run'] === true;
  }

  /** Prints the result: the API's body, or what is asked for of it, or the view of it. */
  protected present(result: Result, view: View<Result>): Result {
    if (this.#writer === undefined) this.print(view(result, this.style));
    else this.printLines(this.#writer.whole(result));
    return result;
  }

  /** Prints one thing of a stream: a line of JSON, a document of YAML, its members, or the view of it. */
  protected presentEntry<Entry>(entry: Entry, view: View<Entry>): void {
    if (this.#writer === undefined) this.print(view(entry, this.style));
    else this.printLines(this.#writer.entry(entry));
  }

  /** One thing of a stream as data; undefined where nothing of it is asked for. */
  protected entryText(entry: unknown): string | undefined {
    return this.#writer?.entry(entry);
  }

  /** As `print`, with an empty line for an empty text; nothing for undefined. */
  private printLines(text: string | undefined): void {
    if (text !== undefined) process.stdout.write(`${text}\n`);
  }

  async #presentUnsent({ request }: NotSentError): Promise<void> {
    const { addressOf, describeUnsent } = await import('./dry-run.ts');
    const { curl, notes, result } = describeUnsent(request, {
      baseUrl: await addressOf(() => this.#find()),
      withValues: this.#common['with-values'] === true,
      isLive: this.#common.live === true,
    });
    if (this.#writer !== undefined) this.printLines(this.#writer.whole(result));
    else {
      this.print(curl);
      for (const note of notes) process.stderr.write(`${printableLines(note)}\n`);
    }
  }

  /** A terminal interprets nothing but colours, tabs and line ends of it, whatever a view let through. */
  protected print(text: string): void {
    if (text !== '') process.stdout.write(`${process.stdout.isTTY ? printableStyled(text) : text}\n`);
  }

  /** A line for people beside the result; nothing where data is asked for. */
  protected note(text: string): void {
    if (this.isForPeople) process.stderr.write(`${printable(text)}\n`);
  }

  /** Leads a browser or a phone to a page whose address holds a token; see open-link.ts. */
  protected async openLink(link: string): Promise<void> {
    const { openLink } = await import('./open-link.ts');
    await openLink(link, {
      isForPeople: this.isForPeople,
      hasDesktop: this.environment.hasDesktop,
      print: (text) => this.print(text),
      note: (text) => this.note(text),
    });
  }

  protected get style(): Style {
    const style = wantsColour(process.stdout) ? COLOURED : PLAIN;
    // 0 columns where a terminal doesn't say.
    const { isTTY, columns } = process.stdout;
    return isTTY ? { ...style, ...(columns > 0 && { screen: columns }) } : { ...style, width: Infinity };
  }

  /** For what is said beside the result. */
  protected get errorStyle(): Style {
    return wantsColour(process.stderr) ? COLOURED : PLAIN;
  }

  /** The body that `identifier=value` arguments and `--data` make; undefined when there are neither. */
  protected async readFields(fields: readonly string[] | undefined, data: string | undefined) {
    return await readFields({ fields: fields ?? [], data }, this.input);
  }

  /** As `readFields`, with the files that are to be uploaded beside it. */
  protected async readFieldsAndFiles(fields: readonly string[] | undefined, data: string | undefined) {
    return await readFieldsAndFiles({ fields: fields ?? [], data }, this.input);
  }

  /** Where values come from that don't stand on the command line. */
  protected get input(): InputSource {
    return terminalInput(this.environment.isInteractive);
  }

  /** For predicates and for children whose code is passed on. A reported failure stays one. */
  protected endWith(exitCode: number): void {
    if (exitCode !== EXIT.ok) process.exitCode = exitCode;
  }

  /** Asks before something is destroyed; see input.ts. */
  protected async confirmLoss(what: string): Promise<void> {
    await confirmLoss(what, {
      isAgreed: this.#common.yes === true || this.isDryRun,
      isInteractive: this.environment.isInteractive,
      client: this.client,
    });
  }
}

/** Throws UsageError, without what was given. */
function requireOperatorName(flag: string | undefined, variable: string | undefined): void {
  const name = flag ?? variable;
  if (name === undefined || isOperatorName(name)) return;
  throw new UsageError(`${flag === undefined ? 'KYCLONE_ACTOR' : '--as'} takes a name: ${OPERATOR_RULE}`);
}
