/** Outcome rules: their matches and effects as flags (contract §4.3), and their views. */
import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { OUTCOMES } from './facts.ts';
import { PLAYBOOK_KINDS } from '../onboardings/facts.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { outcomeArg } from '../onboardings/commands/runs.ts';
import { derived } from '../../cli/shell/derived.ts';
import { UsageError } from '../../cli/shell/failure.ts';
import { readFields } from '../../cli/shell/fields.ts';
import {
  eitherOf,
  type FlagValues,
  opposite,
  pageFlags,
  spaceFlags,
  entityFlag,
  integerFlag,
  repeatable,
} from '../../cli/shell/flags.ts';
import type { InputSource } from '../../cli/shell/input.ts';
import { facts, listView, yesNo } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';
import { durationFlag, durationText } from '../../cli/shell/times.ts';

type OutcomeRule = AnswerOf<'GET /_kyclone/outcomes/{id}'>;
type NewRule = RequestOf<'POST /_kyclone/outcomes'>['body'];
type Match = NewRule['match'];

const ruleArg = { id: stringArg({ description: 'id of the rule (rule_…)', required: true }) };

const MATCH_HELP =
  'All that is given has to match; * is any part of a text. A value after --where is kept sealed: =- takes it from ' +
  'stdin, =? asks without echo, =@FILE reads a file.';

const codesFlag = (summary: string) => string({ summary, helpValue: 'CODE', ...repeatable });

const ruleFlags = {
  'fp-id': entityFlag('runs of this user or business; * is any part of an id', {
    helpValue: 'FP_ID',
    takesPatterns: true,
  }),
  'external-id': string({ summary: 'runs of entities with this external id', helpValue: 'ID' }),
  'sandbox-id': string({ summary: 'runs of entities with this sandbox id', helpValue: 'ID' }),
  playbook: string({ summary: 'runs on this playbook', helpValue: 'KEY' }),
  kind: option({ summary: 'runs on playbooks of this kind', options: PLAYBOOK_KINDS })(),
  where: string({
    summary: 'runs of entities with this value in the vault, in any case',
    helpValue: 'IDENTIFIER=VALUE',
  }),
  delay: durationFlag({ summary: 'pending for this time first: 1500ms, 30s, 2m, 1h, PT2M' }),
  times: integerFlag({ summary: 'only for this many runs', min: 1, helpValue: 'N' }),
  priority: integerFlag({
    summary: 'order of the rules: lower ones first, from 0 (default: 100)',
    min: 0,
    helpValue: 'N',
  }),
  'add-signal': codesFlag('a risk signal to add; repeatable'),
  'remove-signal': codesFlag('a risk signal to remove; repeatable'),
};

type RuleFlags = Partial<FlagValues<typeof ruleFlags>>;

/** The runs that the rule matches; undefined if no flag gives any. Throws UsageError. */
export async function ruleMatch(flags: RuleFlags, input: InputSource): Promise<Match | undefined> {
  const identifier = flags.where === undefined ? undefined : await identifierMatch(flags.where, input);
  const match = defined({
    fp_id: flags['fp-id'],
    external_id: flags['external-id'],
    sandbox_id: flags['sandbox-id'],
    playbook_key: flags.playbook,
    kind: flags.kind,
    identifier,
  });
  return Object.keys(match).length === 0 ? undefined : match;
}

/** Uses the field syntax of fields.ts, for one text. */
async function identifierMatch(where: string, input: InputSource): Promise<NonNullable<Match['identifier']>> {
  const mistake = new UsageError('--where takes identifier=value (not shown: it may hold a value)');
  if (where.indexOf('=') < 1) throw mistake;
  const [field] = Object.entries((await readFields({ fields: [where] }, input)) ?? {});
  if (field === undefined || typeof field[1] !== 'string') throw mistake;
  return { name: field[0], equals: field[1] };
}

/** The other members of the rule. Members without a flag are not sent. */
export function ruleSettings(flags: RuleFlags) {
  const { delay, times, priority, 'add-signal': add, 'remove-signal': remove } = flags;
  return {
    ...defined({ delay_ms: delay, times, priority }),
    ...((add ?? remove) && { signals: defined({ add, remove }) }),
  };
}

/** In the order of application; below each rule is what it matches. */
export const outcomeListView = listView<AnswerOf<'GET /_kyclone/outcomes'>>('No rules', [
  ['RULE', 'id'],
  ['PRIORITY', 'priority'],
  ['OUTCOME', 'outcome'],
  ['STATE', stateText],
  ['MATCH', (rule) => `${matchTexts(rule).join(' ')}${doesTexts(rule).join('')}`],
]);

export function outcomeRuleView(rule: OutcomeRule, style: Style): string {
  const { times, remaining, signals } = rule;
  return facts(
    {
      rule: rule.id,
      outcome: rule.outcome,
      when: matchTexts(rule),
      priority: rule.priority,
      enabled: yesNo(rule.enabled),
      ...defined({
        delay: rule.delay_ms === undefined ? undefined : durationText(rule.delay_ms),
        'runs left': times === undefined ? undefined : `${remaining ?? times} of ${times}`,
        'adds signals': signals?.add,
        'removes signals': signals?.remove,
      }),
    },
    style,
  );
}

function stateText({ enabled, times, remaining }: OutcomeRule): string {
  if (!enabled) return 'off';
  if (remaining === 0) return 'spent';
  return times === undefined ? 'on' : `${remaining ?? times} of ${times}`;
}

/** `name=value` for each member. The value of an identifier is masked already. */
function matchTexts({ match }: OutcomeRule): string[] {
  const { identifier, ...texts } = match;
  return [
    ...Object.entries(texts).map(([name, text]) => `${name}=${text}`),
    ...(identifier ? [`${identifier.name}=${identifier.equals}`] : []),
  ];
}

function doesTexts({ delay_ms: delay, signals }: OutcomeRule): string[] {
  return [
    ...(delay === undefined ? [] : [`; after ${durationText(delay)}`]),
    ...(signals?.add ?? []).map((code) => `; +${code}`),
    ...(signals?.remove ?? []).map((code) => `; -${code}`),
  ];
}

export default {
  'outcomes:create': derived('POST /_kyclone/outcomes', {
    summary: 'Create a rule that decides the outcome of matching runs',
    description: MATCH_HELP,
    aliases: ['outcomes:add'],
    examples: [
      'manual_review --external-id "vip-*" --add-signal watchlist_hit_ofac',
      'fail --where id.last_name=Oyelaran --times 1',
      'pass --kind kyb --delay 2m --priority 0',
    ],
    args: outcomeArg,
    flags: { ...ruleFlags, disabled: boolean({ summary: 'ignore it until it is enabled' }), ...spaceFlags },
    send: async ({ args: { outcome }, flags }, { input }) => {
      const match = await ruleMatch(flags, input);
      if (!match)
        throw new UsageError('Which runs? Choose them with --playbook, --external-id or another flag');
      return { match, outcome, ...ruleSettings(flags), enabled: flags.disabled ? false : undefined };
    },
    view: outcomeRuleView,
  }),
  'outcomes:delete': derived('DELETE /_kyclone/outcomes/{id}', {
    summary: 'Delete a rule; runs that it has decided do not change',
    aliases: ['outcomes:remove'],
    examples: ['rule_…', 'rule_… --dry-run'],
    args: ruleArg,
    flags: spaceFlags,
  }),
  'outcomes:get': derived('GET /_kyclone/outcomes/{id}', {
    summary: 'Show a rule, and how many runs it has left',
    examples: ['rule_…', 'rule_… --output yaml'],
    args: ruleArg,
    flags: spaceFlags,
    view: outcomeRuleView,
  }),
  'outcomes:list': derived('GET /_kyclone/outcomes', {
    summary: 'List outcome rules, in the order of application',
    examples: ['', '--json'],
    flags: { ...pageFlags, ...spaceFlags },
    view: outcomeListView,
  }),
  'outcomes:update': derived('PATCH /_kyclone/outcomes/{id}', {
    summary: 'Change a rule; --times restarts its count',
    description: `Flags that choose runs replace all earlier ones. ${MATCH_HELP}`,
    examples: ['rule_… --outcome fail --times 3', 'rule_… --disable'],
    args: ruleArg,
    flags: {
      outcome: option({ summary: 'the outcome of the runs', options: OUTCOMES })(),
      ...ruleFlags,
      'no-delay': opposite('delay', 'use the delay of the playbook'),
      'any-times': opposite('times', 'for any number of runs'),
      enable: boolean({ summary: 'use it from now on' }),
      disable: opposite('enable', 'ignore it until it is enabled'),
      ...spaceFlags,
    },
    send: async ({ flags }, { input }) => {
      const { outcome, enable, disable, 'no-delay': noDelay, 'any-times': anyTimes } = flags;
      return {
        match: await ruleMatch(flags, input),
        outcome,
        ...ruleSettings(flags),
        ...(noDelay && { delay_ms: null }),
        ...(anyTimes && { times: null }),
        enabled: eitherOf(enable, disable),
      };
    },
    view: outcomeRuleView,
  }),
};
