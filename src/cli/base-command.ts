/**
 * What every command does alike: parse without leaking argv, find the daemon, print the result on stdout and anything
 * else on stderr, end with a truthful exit code (DESIGN §8).
 *
 * Two habits of oclif are replaced here: its usage errors quote arguments (see usage.ts), and it takes piped stdin for
 * a missing argument (`ignoreStdin` below).
 */
import { Command } from '@oclif/core/command';
import { boolean, string } from '@oclif/core/flags';
import type { Input, ParserOutput } from '@oclif/core/interfaces';
import { parse } from '@oclif/core/parser';
import { createClient, type Client } from '../client/client.ts';
import { confirmLoss } from './confirm.ts';
import { connectionOf, findDaemon, type DaemonAccess } from './daemon-access.ts';
import {
  chooseInstance,
  readEnvironment,
  wantsColour,
  type ChosenInstance,
  type CliEnvironment,
} from './environment.ts';
import { EXIT } from './exit-codes.ts';
import { describeFailure, type Failure } from './failure.ts';
import { readFields } from './fields.ts';
import { terminalInput, type InputSource } from './input.ts';
import { COLOURED, PLAIN, printable, type Style, type View } from './output.ts';
import { toUsageError } from './usage.ts';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the constraint of oclif's own signature
type Output = Record<string, any>;

interface CommonFlags {
  readonly instance?: string | undefined;
  readonly live?: boolean;
  readonly yes?: boolean;
}

export abstract class BaseCommand<Result = unknown> extends Command {
  static override baseFlags = {
    instance: string({
      summary:
        'the instance to speak to (default: $KYCLONE_INSTANCE, $KYCLONE_BASE_URL, the project\'s, "default")',
      helpGroup: 'GLOBAL',
      helpValue: 'NAME',
    }),
    json: boolean({ summary: 'print the result as JSON', helpGroup: 'GLOBAL' }),
  };

  protected readonly environment: CliEnvironment = readEnvironment();
  #common: CommonFlags = {};
  #client: Client | undefined;
  #access: Promise<DaemonAccess> | undefined;

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
      reportFailure(error, { asJson: this.isJson, isDebugging: this.environment.isDebugging });
      return undefined as T;
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
    try {
      const parsed = await parse<F, B, A>(argv, {
        ...options,
        args,
        flags,
        context: this,
      } as unknown as Input<F, B, A>);
      this.#common = parsed.flags as CommonFlags;
      return parsed;
    } catch (error) {
      throw toUsageError(error, command);
    }
  }

  /** The daemon: where it is and who we are to it. Found when first asked for. */
  protected get access(): Promise<DaemonAccess> {
    return (this.#access ??= findDaemon(this.environment, this.#common.instance));
  }

  /** The typed client; speaks with the live key under `--live`, else with the sandbox key. */
  protected get client(): Client {
    return (this.#client ??= createClient(async () =>
      connectionOf(await this.access, this.#common.live === true),
    ));
  }

  /** The instance that is meant, whether it runs or not. Rejects with UsageError. */
  protected get target(): Promise<ChosenInstance> {
    return chooseInstance(this.environment, this.#common.instance);
  }

  /** Whether `--json` stands before a `--`; also known when the rest of the command line can't be parsed. */
  protected get isJson(): boolean {
    return wantsJson(this.argv);
  }

  /** Prints the result: the API's body under `--json`, else the view of it. */
  protected present(result: Result, view: View<Result>): Result {
    if (this.isJson) this.print(jsonText(result));
    else this.print(view(result, this.style));
    return result;
  }

  protected print(text: string): void {
    if (text !== '') process.stdout.write(`${text}\n`);
  }

  /** A line for people beside the result; nothing under `--json`. */
  protected note(text: string): void {
    if (!this.isJson) process.stderr.write(`${printable(text)}\n`);
  }

  protected get style(): Style {
    return wantsColour(process.stdout) ? COLOURED : PLAIN;
  }

  /** For what is said beside the result. */
  protected get errorStyle(): Style {
    return wantsColour(process.stderr) ? COLOURED : PLAIN;
  }

  /** The body that `identifier=value` arguments and `--data` make; undefined when there are neither. */
  protected async readFields(fields: readonly string[] | undefined, data: string | undefined) {
    return await readFields({ fields: fields ?? [], data }, this.input);
  }

  /** Where values come from that don't stand on the command line. */
  protected get input(): InputSource {
    return terminalInput(this.environment.isInteractive);
  }

  /** For predicates and for children whose code is passed on. What was told as a failure stays one. */
  protected endWith(exitCode: number): void {
    if (exitCode !== EXIT.ok) process.exitCode = exitCode;
  }

  /** Asks before something is destroyed; see confirm.ts. */
  protected async confirmLoss(what: string): Promise<void> {
    await confirmLoss(what, {
      isAgreed: this.#common.yes === true,
      isInteractive: this.environment.isInteractive,
      client: this.client,
    });
  }
}

/** One line of JSON on stderr, or a message for people; sets the exit code. */
export function reportFailure(
  error: unknown,
  { asJson, isDebugging }: { asJson: boolean; isDebugging: boolean },
): void {
  const failure = describeFailure(error);
  const { message, code, context, exitCode, requestId } = failure;
  process.exitCode = exitCode;
  if (asJson) {
    const line = { message, code, context, request_id: requestId, exit_code: exitCode };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  } else {
    const hint = hintOf(failure);
    const style = wantsColour(process.stderr) ? COLOURED : PLAIN;
    const lines = [
      `${style.bad('Error:')} ${printable(message)}`,
      ...Object.entries(context ?? {}).map(([name, text]) => `  ${printable(name)}: ${printable(text)}`),
      ...(hint === undefined ? [] : [style.dim(`Hint: ${printable(hint)}`)]),
    ];
    process.stderr.write(`${lines.join('\n')}\n`);
  }
  if (isDebugging && code === 'internal_error' && error instanceof Error)
    process.stderr.write(`${stackFrames(error)}\n`);
}

/** What to do next, and the request, unless that names it already. */
function hintOf({ hint, requestId }: Failure): string | undefined {
  if (requestId === undefined || hint?.includes(requestId) === true) return hint;
  return `${hint ?? 'see the journal'} (request ${requestId})`;
}

/** `--json` before a `--` that ends the flags. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json');
}

/** Indented for a terminal, one line for a pipe. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, null, process.stdout.isTTY ? 2 : undefined);
}

/** Where it happened, without the message, which may quote a value. */
function stackFrames(error: Error): string {
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames].join('\n');
}
