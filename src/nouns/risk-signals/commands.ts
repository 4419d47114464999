import { option as optionArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { HIT_CODES, HIT_DECISIONS, isHitCode } from '../../contract/facts/cases.ts';
import { entityEndpoint } from '../../client/entity-endpoint.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { SEVERITIES } from '../onboardings/facts.ts';
import { derived, made } from '../../cli/shell/derived.ts';
import { entityArg, liveFlag, reasonFlag, reasonOf, spaceFlags } from '../../cli/shell/flags.ts';
import { listView } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';

type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;
type Catalogue = AnswerOf<'GET /org/risk_signals'>;
type Hit = AnswerOf<'GET /_kyclone/entities/{fp_id}/hits'>[number];

const signalTable = (nothing: string) =>
  listView<Signals | Catalogue>(nothing, [
    ['SEVERITY', 'severity'],
    ['CODE', 'reason_code'],
    ['NOTE', 'note'],
  ]);

const hitListView = listView<readonly Hit[]>('No hits', [
  ['CODE', 'reason_code'],
  ['LIST', 'list', 4],
  ['MATCHED NAME', 'matched_name'],
  ['SCORE', 'score', 3],
  ['DECISION', ({ review }) => review?.decision ?? 'to be decided'],
  ['BY', ({ review }) => review?.operator, 2],
  ['REASON', ({ review }) => review?.reason, 1],
]);

export default {
  'risk-signals:hits': derived('GET /_kyclone/entities/{fp_id}/hits', {
    summary: 'List the watchlist and media hits of a run, with the decision about each',
    description:
      'The run is the latest onboarding that is finished, unless --onboarding names one. Lists, names and scores are ' +
      'made up: no real list is searched.',
    examples: ['fp_id_…', 'fp_id_… --onboarding ob_… --json'],
    args: entityArg,
    flags: { onboarding: string({ summary: 'of this onboarding', helpValue: 'ID' }), ...spaceFlags },
    send: ({ flags }) => ({ onboarding_id: flags.onboarding }),
    view: hitListView,
  }),
  'risk-signals:review': derived('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
    summary: 'Decide whether a watchlist or media hit is a false positive or confirmed',
    description:
      'The decision is kept with reason, operator (--as) and time; the last one counts. Status and review of the person ' +
      'do not change: decisions create changes them.',
    examples: [
      'fp_id_… watchlist_hit_ofac --as Ada --decision false_positive --reason "another date of birth"',
      'fp_id_… adverse_media_hit --onboarding ob_… --decision confirmed --reason "the same photo"',
    ],
    args: {
      ...entityArg,
      signal: optionArg({ description: `code of the signal: ${HIT_CODES.join(', ')}`, options: HIT_CODES })({
        required: true,
      }),
    },
    flags: {
      decision: option({ summary: 'the decision about the hit', options: HIT_DECISIONS })({ required: true }),
      reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
      onboarding: string({
        summary: 'the hit of this onboarding (default: the latest finished)',
        helpValue: 'ID',
      }),
      ...spaceFlags,
    },
    params: ({ signal }) => ({ reason_code: signal }),
    send: async ({ flags }, { input }) => ({
      decision: flags.decision,
      reason: await reasonOf(flags.reason, input),
      onboarding_id: flags.onboarding,
    }),
    view: (hit, style) => hitListView([hit], style),
  }),
  'risk-signals:catalogue': made(
    {
      summary: 'List all risk signals',
      examples: ['--severity high', '--search "address box" --json'],
      flags: {
        severity: option({ summary: 'only those of this severity', options: SEVERITIES })(),
        search: string({
          summary: 'only those whose code, note, description or scopes contain these words',
          helpValue: 'WORDS',
        }),
        ...liveFlag,
      },
      view: signalTable('No such risk signal'),
    },
    async ({ flags }, { client }) => chosenEntries(await client.call('GET /org/risk_signals'), flags),
  ),
  'risk-signals:list': made(
    {
      summary: 'List the findings of a run about a user or business, most severe first',
      description:
        'The run is the latest onboarding that is finished, unless --onboarding names one. Hits of watchlists ' +
        'and media follow, with the decision about each.',
      examples: ['fp_id_…', 'fp_bid_… --onboarding ob_… --json'],
      args: entityArg,
      flags: { onboarding: string({ summary: 'of this onboarding', helpValue: 'ID' }), ...liveFlag },
      beside: async (signals: Signals, { args: { fp_id }, flags }, { client }) =>
        signals.some(({ reason_code }) => isHitCode(reason_code))
          ? await client.call('GET /_kyclone/entities/{fp_id}/hits', {
              params: { fp_id },
              query: { environment: flags.live ? 'live' : undefined, onboarding_id: flags.onboarding },
            })
          : undefined,
      view: (signals: Signals, style, _, hits) => signalListView(signals, style, hits),
    },
    async ({ args, flags: { onboarding } }, { client }): Promise<Signals> => {
      if (onboarding === undefined) {
        const { key, params } = entityEndpoint('GET /{entity}/risk_signals', args.fp_id);
        return await client.call(key, { params });
      }
      const { key, params } = entityEndpoint(
        'GET /{entity}/onboardings/{onboarding_id}/risk_signals',
        args.fp_id,
      );
      return await client.call(key, { params: { ...params, onboarding_id: onboarding } });
    },
  ),
};

/** Followed by `hits`, if there are any. */
export function signalListView(signals: Signals, style: Style, hits: readonly Hit[] = []): string {
  const found = signalTable('No risk signals')(signals, style);
  return hits.length === 0 ? found : `${found}\n\n${hitListView(hits, style)}`;
}

/** Entries of a severity, in whose code, note, description or scopes each word of `search` begins a word. */
export function chosenEntries(
  entries: Catalogue,
  { severity, search = '' }: { severity?: string | undefined; search?: string | undefined },
): Catalogue {
  const wanted = wordsOf(search);
  return entries.filter((entry) => {
    const { reason_code: code, note, description, scopes } = entry;
    const words = wordsOf([code, note, description, ...scopes].join(' '));
    const isFound = wanted.every((start) => words.some((word) => word.startsWith(start)));
    return isFound && (severity === undefined || entry.severity === severity);
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}
