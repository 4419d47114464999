/** What `playbooks create` and `playbooks update` share (contract §4.1). */
import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { durationFlag } from '../shell/durations.ts';
import { UsageError } from '../shell/failure.ts';
import { OUTCOMES } from '../onboardings/words.ts';

export type Playbook = AnswerOf<'GET /_kyclone/playbooks/{key}'>;
type Changes = RequestOf<'PATCH /_kyclone/playbooks/{key}'>['body'];

export const playbookArg = {
  key: stringArg({ description: 'key of the playbook (pb_test_… or pb_live_…)', required: true }),
};

export const playbookFlags = {
  require: string({
    summary: 'an identifier that must be there; a comma makes a group, of which one is enough; repeatable',
    helpValue: 'IDENTIFIERS',
    multiple: true,
    multipleNonGreedy: true,
  }),
  'require-nothing': boolean({ summary: 'no identifier must be there' }),
  'default-outcome': option({ summary: 'what runs come to that nothing else decides', options: OUTCOMES })(),
  delay: durationFlag({ summary: 'how long runs are pending: 1500 (milliseconds), 30s, 2m, 1h, PT2M' }),
  'session-delay': durationFlag({ summary: 'how long hosted ones are, once the person has left' }),
  rules: boolean({ summary: 'there are rules over signals: runs come to the default outcome' }),
  'no-rules': boolean({ summary: 'there are none: runs come to none' }),
  'collects-owners': boolean({ summary: 'owners are asked for, in a hosted flow only' }),
  'no-collects-owners': boolean({ summary: 'owners are not asked for' }),
};

interface PlaybookFlags {
  readonly require?: readonly string[] | undefined;
  readonly 'require-nothing': boolean;
  readonly 'default-outcome'?: Changes['default_outcome'] | undefined;
  readonly delay?: number | undefined;
  readonly 'session-delay'?: number | undefined;
  readonly rules: boolean;
  readonly 'no-rules': boolean;
  readonly 'collects-owners': boolean;
  readonly 'no-collects-owners': boolean;
}

/** The members that were given. Throws UsageError for flags that contradict each other. */
export function playbookSettings(flags: PlaybookFlags): Omit<Changes, 'name'> {
  const requirements = requirementsOf(flags);
  const hasRules = eitherWay(flags, 'rules');
  const collectsOwners = eitherWay(flags, 'collects-owners');
  const { 'default-outcome': outcome, delay, 'session-delay': sessionDelay } = flags;
  return {
    ...(requirements && { requirements }),
    ...(hasRules !== undefined && { has_rules: hasRules }),
    ...(outcome !== undefined && { default_outcome: outcome }),
    ...(delay !== undefined && { delay_ms: delay }),
    ...(sessionDelay !== undefined && { session_delay_ms: sessionDelay }),
    ...(collectsOwners !== undefined && { collects_owners: collectsOwners }),
  };
}

/** True, false, or undefined when neither `--NAME` nor `--no-NAME` was given. */
function eitherWay(flags: PlaybookFlags, name: 'rules' | 'collects-owners'): boolean | undefined {
  const [on, off] = [flags[name], flags[`no-${name}`]];
  if (on && off) throw new UsageError(`--${name} and --no-${name} cannot both be`);
  return on || off ? on : undefined;
}

function requirementsOf(flags: PlaybookFlags): string[][] | undefined {
  if (flags['require-nothing']) {
    if (flags.require) throw new UsageError('--require and --require-nothing cannot both be');
    return [];
  }
  return flags.require?.map((group) => {
    const identifiers = group.split(',').map((identifier) => identifier.trim());
    if (identifiers.includes('')) throw new UsageError('--require takes identifiers: id.ssn9,id.ssn4');
    return identifiers;
  });
}
