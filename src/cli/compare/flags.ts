/**
 * Shared flags of the `kyclone compare` commands: the remote and its key, the scenarios, and the known differences.
 */
import { string } from '@oclif/core/flags';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { readSet } from '../fixtures/set.ts';
import { byDefault, durationFlag } from '../shell/times.ts';
import type { InputSource } from '../shell/input.ts';
import { remoteAddress, remoteKey, remoteSide } from './remote.ts';
import type { PlayedScenario, PlayedSide } from './play.ts';
import { givenVariables, type Variables } from './scenarios.ts';

const many = { multiple: true, multipleNonGreedy: true } as const;
/** The longest wait that is acceptable in a pipeline. */
const MAX_WAIT_MS = 2 * MINUTE_MS;

export const scenarioFlags = {
  scenario: string({
    summary:
      'scenario to play: a file, or a built-in one by its name; repeatable (default: all built-in ones)',
    helpValue: 'NAME|FILE',
    ...many,
  }),
};

export const emulatorFlags = {
  ...scenarioFlags,
  set: string({
    summary: 'a variable of the scenarios, for the emulator; repeatable',
    helpValue: 'NAME=VALUE',
    ...many,
  }),
  allow: string({
    summary: 'known differences, one per line, as --output id prints them; * matches any text',
    helpValue: 'FILE',
  }),
};

export const remoteFlags = {
  remote: string({
    summary: 'address of the sandbox to compare with: https, or this machine',
    required: true,
    helpValue: 'URL',
  }),
  'remote-key': string({
    summary:
      'its sandbox key: - for stdin, @FILE, ? for a prompt without echo; default: $KYCLONE_REMOTE_API_KEY',
    helpValue: '@FILE|-',
  }),
  'remote-set': string({
    summary: 'a variable of the scenarios, for the remote; repeatable',
    helpValue: 'NAME=VALUE',
    ...many,
  }),
  'max-wait': durationFlag({
    summary: 'longest wait after the remote reported too many requests',
    max: DAY_MS,
    ...byDefault(MAX_WAIT_MS),
  }),
};

interface RemoteFlags {
  readonly remote: string;
  readonly 'remote-key'?: string | undefined;
  readonly 'remote-set'?: readonly string[] | undefined;
  readonly 'max-wait'?: number | undefined;
}

export interface Remote {
  readonly side: PlayedSide;
  readonly set: Variables;
  /** Values that must not appear in any file. */
  readonly secrets: readonly string[];
}

/** Checks everything before it sends anything. Throws UsageError, CliError and InputNeededError. */
export async function openRemote(
  flags: RemoteFlags,
  scenarios: readonly PlayedScenario[],
  {
    environment,
    input,
    note,
  }: { environment: CliEnvironment; input: InputSource; note: (text: string) => void },
): Promise<Remote> {
  const url = remoteAddress(flags.remote);
  const set = givenVariables(scenarios, readSet(flags['remote-set'] ?? [], '--remote-set'));
  const key = await remoteKey(flags['remote-key'], environment, input);
  const side = await remoteSide({
    url,
    key,
    maxWaitSeconds: (flags['max-wait'] ?? MAX_WAIT_MS) / SECOND_MS,
    onWait: (seconds) => note(`The remote reports too many requests; waiting ${seconds} s`),
  });
  return { side, set, secrets: [key] };
}

/** The variables for the emulator from the flag. Throws UsageError. */
export function emulatorVariables(
  scenarios: readonly PlayedScenario[],
  flag: readonly string[] | undefined,
): Variables {
  return givenVariables(scenarios, readSet(flag ?? []));
}
