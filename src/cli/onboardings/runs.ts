/** Running an entity through a playbook: what `users kyc` and `businesses kyb` share (contract §4.2, §10). */
import { boolean, option, string } from '@oclif/core/flags';
import type { Client } from '../../client/client.ts';
import type { RequestOf } from '../../contract/registry.ts';
import { liveFlag } from '../shell/flags.ts';
import { OUTCOMES } from './words.ts';
import { waitFlags, waitForOutcome, type RunResult } from './wait.ts';

type RunBody = RequestOf<'POST /users/{fp_id}/kyc'>['body'];

export const runFlags = {
  playbook: string({
    summary: 'key of the playbook (default: the one that is there from the start)',
    helpValue: 'KEY',
  }),
  result: option({ summary: 'what it comes to (sandbox only)', options: OUTCOMES })(),
  'no-reonboard': boolean({ summary: 'refuse when it was onboarded on this playbook before' }),
  'external-id': string({ summary: 'id of yours for the onboarding', helpValue: 'ID' }),
  ...waitFlags,
  ...liveFlag,
};

export const RUN_HELP =
  'The exit code is 0 whatever it comes to, unless --expect says what it is to be. With --json: what the run answers; ' +
  'under --wait the onboarding as it is in the end, which has the same members and more.';

/** The playbook of this kind that every environment starts with. */
export function defaultPlaybook(kind: 'kyc' | 'kyb', isLive: boolean): string {
  return `pb_${isLive ? 'live' : 'test'}_${kind}default000000000000`;
}

export function runBody(
  kind: 'kyc' | 'kyb',
  flags: {
    readonly playbook?: string | undefined;
    readonly result?: RunBody['fixture_result'] | undefined;
    readonly 'no-reonboard': boolean;
    readonly 'external-id'?: string | undefined;
    readonly 'link-on-step-up'?: boolean;
    readonly live: boolean;
  },
): RunBody {
  return {
    key: flags.playbook ?? defaultPlaybook(kind, flags.live),
    ...(flags.result !== undefined && { fixture_result: flags.result }),
    ...(flags['no-reonboard'] && { allow_reonboard: false }),
    ...(flags['external-id'] !== undefined && { onboarding_external_id: flags['external-id'] }),
    ...(flags['link-on-step-up'] === true && { generate_link_on_stepup: true }),
  };
}

/** What was started, or what it came to under `--wait`. */
export async function endOf(
  client: Client,
  started: RunResult,
  flags: { readonly wait: boolean; readonly timeout: number },
): Promise<RunResult> {
  return flags.wait ? await waitForOutcome(client, started.onboarding_id, flags.timeout) : started;
}
