/** Fault rules: the flags of `faults create`, with or without a preset (contract §11), and their views. */
import { custom, option, string } from '@oclif/core/flags';
import { HTTP_METHODS } from '../../requests/facts.ts';
import { FAULT_ABORTS, FAULT_STATUS } from '../../control/facts.ts';
import { FAULT_PRESETS, findPreset, type FaultPreset } from '../endpoints/presets.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { durationFlag } from '../../../cli/shell/times.ts';
import { parsed, UsageError } from '../../../cli/shell/failure.ts';
import { type FlagValues, integerFlag } from '../../../cli/shell/flags.ts';
import { facts, listView } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';
import { defined } from '../../../kernel/defined.ts';
import { effectText, requestsText } from '../words.ts';

export type FaultRule = AnswerOf<'GET /_kyclone/faults/{id}'>;
export type NewFault = RequestOf<'POST /_kyclone/faults'>['body'];

const EVERY_PATH = '/**';

/** `0.2` or `20%`. */
const probabilityFlag = custom<number>({
  helpValue: 'P',
  parse: (text, _context, { name }) => {
    const [, digits, percent] = /^(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})(%)?$/.exec(text) ?? [];
    const value = Number(digits) / (percent === undefined ? 1 : 100);
    const chance = value > 0 && value <= 1 ? value : undefined;
    return parsed(chance, `--${name} takes a number above 0 and up to 1, or a percentage: 20%`);
  },
});

export const faultFlags = {
  method: option({ summary: 'only requests of this method', options: HTTP_METHODS })(),
  path: string({
    summary: 'only requests to these paths: * is one segment, ** any number (default: all)',
    helpValue: 'GLOB',
  }),
  preset: option({
    summary: 'start from one of `faults presets`',
    options: FAULT_PRESETS.map(({ name }) => name),
  })(),
  status: integerFlag({
    summary: 'respond with this status',
    min: FAULT_STATUS.least,
    max: FAULT_STATUS.most,
    helpValue: 'STATUS',
  }),
  code: string({ summary: 'code of that response (default: fault_injected)', helpValue: 'CODE' }),
  latency: durationFlag({ summary: 'wait first: 300ms, 2s, 1m; a minute at most' }),
  abort: option({
    summary: 'cut the connection: before the response, or within its body',
    options: FAULT_ABORTS,
  })(),
  times: integerFlag({ summary: 'only this many requests', min: 1, helpValue: 'N' }),
  probability: probabilityFlag({ summary: 'only some of the requests, by chance: 0.2 or 20%' }),
  seed: string({
    summary: 'seed for --probability: the same seed picks the same requests',
    helpValue: 'TEXT',
  }),
};

/** The rule that the flags describe; they override the preset. Throws UsageError. */
export function faultOf(flags: Partial<FlagValues<typeof faultFlags>>): NewFault {
  const { method, path = EVERY_PATH, preset, status, code, latency, abort, times, probability, seed } = flags;
  const rule = {
    match: { path, ...defined({ method }) },
    ...(preset !== undefined && findPreset(preset)?.rule),
    ...defined({ status, code, latency_ms: latency, abort, times, probability, seed }),
  };
  if (rule.status === undefined && rule.latency_ms === undefined && rule.abort === undefined)
    throw new UsageError('Which fault? Choose one with --status, --latency, --abort or --preset');
  const isAnswered = rule.abort === 'body' || (rule.abort === undefined && rule.status !== undefined);
  const ignored = isAnswered
    ? undefined
    : (['status', 'code'] as const).find((name) => flags[name] !== undefined);
  if (ignored !== undefined)
    throw new UsageError(
      `--${ignored} has no effect: the rule does not respond`,
      '--status without --abort connection makes it respond',
    );
  if (seed !== undefined && rule.probability === undefined)
    throw new UsageError('--seed needs --probability: without it, --seed has no effect');
  return rule;
}

export const faultListView = listView<AnswerOf<'GET /_kyclone/faults'>>('No fault rules', [
  ['RULE', 'id'],
  ['STATE', stateText],
  ['HITS', 'hits'],
  ['REQUESTS', requestsText],
  ['WHAT HAPPENS', effectText],
]);

export function faultView(rule: FaultRule, style: Style): string {
  return facts(
    {
      rule: rule.id,
      requests: requestsText(rule),
      'what happens': effectText(rule),
      state: stateText(rule),
      ...defined({ seed: rule.seed }),
    },
    style,
  );
}

export const faultPresetsView = listView<readonly FaultPreset[]>('No presets', [
  ['PRESET', 'name'],
  ['WHAT HAPPENS', 'description'],
]);

export function faultsClearedView(ids: readonly string[]): string {
  if (ids.length === 0) return 'All fault rules are deleted';
  return ids.length === 1 ? 'The fault rule is deleted' : `${ids.length} fault rules are gone`;
}

function stateText({ enabled, times, hits }: FaultRule): string {
  if (!enabled) return 'spent';
  return times === undefined ? 'on' : `${times - hits} of ${times} left`;
}

/**
 * Whether no endpoint has such a path and method, so that the rule never applies. Rules don't apply to the control
 * plane.
 */
export async function matchesNothing({ match: { path, method } }: Pick<NewFault, 'match'>): Promise<boolean> {
  // It loads the schemas of all endpoints, which only a new rule needs.
  const { endpoints, splitKey } = await import('../../../contract/registry.ts');
  const wanted = path.split('/').filter((segment) => segment !== '');
  const of = method === 'HEAD' ? 'GET' : method;
  return !endpoints.some(({ key }) => {
    const route = splitKey(key);
    const segments = route.path.split('/').filter((segment) => segment !== '');
    if (segments[0] === '_kyclone' || !(of === undefined || of === 'OPTIONS' || of === route.method))
      return false;
    return mayMeet(wanted, segments);
  });
}

/** Whether a path fits both a pattern and the path of an endpoint, whose parameters fit any segment. */
function mayMeet([first, ...pattern]: readonly string[], path: readonly string[]): boolean {
  if (first === undefined) return path.length === 0;
  const [segment, ...rest] = path;
  if (first === '**')
    return mayMeet(pattern, path) || (segment !== undefined && mayMeet([first, ...pattern], rest));
  if (segment === undefined) return false;
  return (first === '*' || first === segment || segment.startsWith('{')) && mayMeet(pattern, rest);
}
