/** What the commands of `kyclone compare` share: where the remote is and who asks it, what is played, what is known. */
import { string } from '@oclif/core/flags';
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../kernel/units.ts';
import type { CliEnvironment } from '../shell/environment.ts';
import { readSet } from '../fixtures/set.ts';
import { byDefault, durationFlag } from '../shell/times.ts';
import type { InputSource } from '../shell/input.ts';
import { remoteAddress, remoteKey, remoteSide } from './remote.ts';
import type { PlayedScenario, Side } from './play.ts';
import { givenVariables, type Variables } from './scenarios.ts';

const many = { multiple: true, multipleNonGreedy: true } as const;
/** A wait that a pipeline can bear. */
const MAX_WAIT_MS = 2 * MINUTE_MS;

export const scenarioFlags = {
  scenario: string({
    summary: 'play this: a file, or one of ours by its name; repeatable (default: all of ours)',
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
    summary: 'known differences, one a line, as --output id prints them; * is any text',
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
      'its sandbox key: - for stdin, @FILE, ? to be asked without echo; default: $KYCLONE_REMOTE_API_KEY',
    helpValue: '@FILE|-',
  }),
  'remote-set': string({
    summary: 'a variable of the scenarios, for the remote; repeatable',
    helpValue: 'NAME=VALUE',
    ...many,
  }),
  'max-wait': durationFlag({
    summary: 'longest wait for a remote that had too many requests',
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
  readonly side: Side;
  readonly set: Variables;
  /** What may stand in no file. */
  readonly secrets: readonly string[];
}

/** Everything is judged before anything is sent. Throws UsageError, CliError and InputNeededError. */
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
    ...{ url, key, maxWaitSeconds: (flags['max-wait'] ?? MAX_WAIT_MS) / SECOND_MS },
    onWait: (seconds) => note(`The remote has too many requests; waiting ${seconds} s`),
  });
  return { side, set, secrets: [key] };
}

/** What the flag gives for the emulator. Throws UsageError. */
export function emulatorVariables(
  scenarios: readonly PlayedScenario[],
  flag: readonly string[] | undefined,
): Variables {
  return givenVariables(scenarios, readSet(flag ?? []));
}
