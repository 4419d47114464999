import { boolean, option } from '@oclif/core/flags';
import { OUTCOMES } from '../../contract/facts/onboardings.ts';
import { deletedView } from '../entities/view.ts';
import { outcomeArg } from '../onboardings/runs.ts';
import {
  MATCH_HELP,
  outcomeListView,
  outcomeRuleView,
  ruleArg,
  ruleFlags,
  ruleMatch,
  ruleSettings,
} from '../outcomes/outcomes.ts';
import { derived } from '../shell/derived.ts';
import { UsageError } from '../shell/failure.ts';
import { pageFlags, spaceFlags } from '../shell/flags.ts';

export default {
  'outcomes:create': derived('POST /_kyclone/outcomes', {
    summary: 'Create a rule that decides the outcome of matching runs',
    description: MATCH_HELP,
    aliases: ['outcomes:add'],
    examples: [
      'outcomes create manual_review --external-id "vip-*" --add-signal watchlist_hit_ofac',
      'outcomes create fail --where id.last_name=Oyelaran --times 1',
      'outcomes create pass --kind kyb --delay 2m --priority 0',
    ],
    args: outcomeArg,
    flags: {
      ...ruleFlags,
      disabled: boolean({ summary: 'ignore it until it is enabled' }),
      ...spaceFlags,
    },
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
    examples: [
      'outcomes delete rule_7p793EF07xKXHqAeg5VGPj',
      'outcomes delete rule_7p793EF07xKXHqAeg5VGPj --dry-run',
    ],
    args: ruleArg,
    flags: spaceFlags,
    view: deletedView,
  }),
  'outcomes:get': derived('GET /_kyclone/outcomes/{id}', {
    summary: 'Show a rule, and how many runs it has left',
    examples: [
      'outcomes get rule_7p793EF07xKXHqAeg5VGPj',
      'outcomes get rule_7p793EF07xKXHqAeg5VGPj --output yaml',
    ],
    args: ruleArg,
    flags: spaceFlags,
    view: outcomeRuleView,
  }),
  'outcomes:list': derived('GET /_kyclone/outcomes', {
    summary: 'List outcome rules, in the order of application',
    examples: ['outcomes list', 'outcomes list --json'],
    flags: { ...pageFlags, ...spaceFlags },
    view: outcomeListView,
  }),
  'outcomes:update': derived('PATCH /_kyclone/outcomes/{id}', {
    summary: 'Change a rule; --times restarts its count',
    description: `Flags that choose runs replace all earlier ones. ${MATCH_HELP}`,
    examples: [
      'outcomes update rule_7p793EF07xKXHqAeg5VGPj --outcome fail --times 3',
      'outcomes update rule_7p793EF07xKXHqAeg5VGPj --disable',
    ],
    args: ruleArg,
    flags: {
      outcome: option({ summary: 'the outcome of the runs', options: OUTCOMES })(),
      ...ruleFlags,
      'no-delay': boolean({ summary: 'use the delay of the playbook' }),
      'any-times': boolean({ summary: 'for any number of runs' }),
      enable: boolean({ summary: 'use it from now on' }),
      disable: boolean({ summary: 'ignore it until it is enabled' }),
      ...spaceFlags,
    },
    send: async ({ flags }, { input }) => {
      const { outcome, enable, disable, 'no-delay': noDelay, 'any-times': anyTimes } = flags;
      if (enable && disable) throw new UsageError('--enable and --disable exclude each other');
      if (noDelay && flags.delay !== undefined)
        throw new UsageError('--delay and --no-delay exclude each other');
      if (anyTimes && flags.times !== undefined)
        throw new UsageError('--times and --any-times exclude each other');
      return {
        match: await ruleMatch(flags, input),
        outcome,
        ...ruleSettings(flags),
        ...(noDelay && { delay_ms: null }),
        ...(anyTimes && { times: null }),
        enabled: enable || disable ? enable : undefined,
      };
    },
    view: outcomeRuleView,
  }),
};
