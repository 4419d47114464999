/**
 * Records the remote scenario by scenario, and plays the emulator against it. The transcript is written after each
 * scenario, so an interrupted session continues after the last complete one.
 */
import { existsSync } from 'node:fs';
import { UsageError } from '../shell/failure.ts';
import { chooseTarget, type FileTarget } from '../shell/files.ts';
import type { Client } from '../../client/client.ts';
import type { Variables } from './scenarios.ts';
import { compareAll, type Comparison, type ScenarioPair } from './comparison.ts';
import type { Playing } from './interruption.ts';
import type { KnownDifferences } from './known.ts';
import { playScenario, type PlayedScenario, type PlayedSide } from './play.ts';
import {
  digestOf,
  readTranscript,
  TRANSCRIPT_FORMAT,
  writeTranscript,
  type RecordedScenario,
  type Transcript,
} from './transcript.ts';

export interface RecordOptions extends Playing {
  readonly scenarios: readonly PlayedScenario[];
  readonly side: PlayedSide;
  readonly set: Variables;
  /** Scenarios of an earlier session. They are not played again unless they have changed. */
  readonly earlier: readonly RecordedScenario[];
  readonly target: FileTarget | undefined;
  /** Secrets, which are never written to the file. */
  readonly secrets: readonly string[];
}

export async function recordRemote(options: RecordOptions): Promise<Transcript> {
  const { scenarios, side, set, earlier, target, secrets } = options;
  const recorded: RecordedScenario[] = [];
  const transcript = (): Transcript => ({
    format: TRANSCRIPT_FORMAT,
    complete: recorded.length === scenarios.length,
    scenarios: [...recorded],
  });
  for (const scenario of scenarios) {
    const digest = digestOf(scenario.fixture);
    const known = earlier.find((one) => one.name === scenario.name && one.digest === digest);
    const played = known ?? (await playScenario(scenario, side, set, options));
    recorded.push(played);
    if (target) await writeTranscript(target, transcript(), secrets);
    if (known === undefined) options.note(`${scenario.name}: recorded`);
  }
  return transcript();
}

/** Chooses the transcript file and reads its earlier content. Throws UsageError, which doesn't contain the path. */
export function chooseTranscript(
  path: string | undefined,
  { resume, force }: { readonly resume: boolean; readonly force: boolean },
  flag: string,
): { target: FileTarget | undefined; earlier: readonly RecordedScenario[] } {
  if (path === undefined) {
    if (resume || force) throw new UsageError(`--resume and --force go with ${flag}`);
    return { target: undefined, earlier: [] };
  }
  if (path === '-')
    throw new UsageError(`${flag} takes the name of a file: it is rewritten after each scenario`);
  const isThere = existsSync(path);
  const earlier = resume && isThere ? readTranscript(path, flag).scenarios : [];
  const flags = { file: flag, force: '--resume continues it, --force' };
  chooseTarget({ out: path, mayReplace: resume || force, flags, isData: false });
  // From the first scenario on, the file is ours to replace.
  return { target: chooseTarget({ out: path, mayReplace: true, flags, isData: false }), earlier };
}

export interface CompareOptions extends Playing, Emulator {
  readonly given: Variables;
  readonly known: KnownDifferences;
}

/** Plays the scenarios against the emulator. */
export async function compareWith(transcript: Transcript, options: CompareOptions): Promise<Comparison> {
  const { scenarios, client, given, known } = options;
  const side: PlayedSide = { send: async (request) => await client.request(request) };
  return await withEmulatorVariables(options, given, async (set) => {
    const pairs: ScenarioPair[] = [];
    for (const scenario of scenarios) {
      const emulator = await playScenario(scenario, side, set, options);
      pairs.push({ emulator, remote: transcript.scenarios.find(({ name }) => name === scenario.name) });
    }
    return compareAll(pairs, known);
  });
}

export interface RecordingSummary {
  readonly scenarios: readonly {
    readonly name: string;
    readonly answered: number;
    readonly skipped: number;
  }[];
}

export function summaryOf({ scenarios }: Transcript): RecordingSummary {
  return {
    scenarios: scenarios.map(({ name, exchanges }) => {
      const skipped = exchanges.filter((one) => 'skipped' in one).length;
      return { name, answered: exchanges.length - skipped, skipped };
    }),
  };
}

// Variables that the emulator can supply unless --set does: its playbook, and a bank intent. A remote needs a person at
// its page for the intent.

interface Emulator {
  readonly client: Client;
  /** Without it, only the given variables are available. */
  readonly controlToken: string | undefined;
  readonly scenarios: readonly PlayedScenario[];
}

/** Runs `work` with the given variables and others that the scenarios need. Deletes what it created for them. */
async function withEmulatorVariables<T>(
  { client, controlToken, scenarios }: Emulator,
  given: Variables,
  work: (set: Variables) => Promise<T>,
): Promise<T> {
  const isWanted = (name: string) =>
    controlToken !== undefined &&
    !Object.hasOwn(given, name) &&
    scenarios.some(({ fixture }) => Object.hasOwn(fixture.vars, name));
  const set = { ...given, ...(isWanted('KYC_PLAYBOOK') && (await playbookOf(client))) };
  if (!isWanted('BANK_INTENT')) return await work(set);
  const { id } = await client.call('POST /users', { body: {} });
  try {
    const { intent_token } = await client.call('POST /_kyclone/bank_link_intents', { body: { fp_id: id } });
    return await work({ ...set, BANK_INTENT: intent_token });
  } finally {
    await client.call('DELETE /users/{fp_id}', { params: { fp_id: id } });
  }
}

async function playbookOf(client: Client): Promise<Variables> {
  const { data } = await client.call('GET /_kyclone/playbooks');
  const playbook = data.find(({ kind, is_live }) => kind === 'kyc' && !is_live);
  return playbook === undefined ? {} : { KYC_PLAYBOOK: playbook.key };
}
