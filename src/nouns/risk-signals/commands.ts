import { option as optionArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { HIT_CODES, HIT_DECISIONS, isHitCode } from '../../contract/facts/cases.ts';
import { entityEndpoint } from '../../client/entity-endpoint.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { SEVERITIES } from '../onboardings/facts.ts';
import { derived, made } from '../../cli/shell/derived.ts';
import { entityArg, liveFlag, reasonFlag, reasonOf, spaceFlags } from '../../cli/shell/flags.ts';
import { table } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';

type Signals = AnswerOf<'GET /users/{fp_id}/risk_signals'>;

export default {
  'risk-signals:hits': derived('GET /_kyclone/entities/{fp_id}/hits', {
    summary: 'List the watchlist and media hits of a run, with the decision about each',
    description:
      'The run is the latest onboarding that is finished, unless --onboarding names one. Lists, names and scores are ' +
      'made up: no real list is searched.',
    examples: [
      'risk-signals hits fp_id_7p793EF07xKXHqAeg5VGPj',
      'risk-signals hits fp_id_7p793EF07xKXHqAeg5VGPj --onboarding ob_7p793EF07xKXHqAeg5VGPj --json',
    ],
    args: entityArg,
    flags: {
      onboarding: string({ summary: 'of this onboarding', helpValue: 'ID' }),
      ...spaceFlags,
    },
    send: ({ flags }) => ({ onboarding_id: flags.onboarding }),
    view: hitListView,
  }),
  'risk-signals:review': derived('POST /_kyclone/entities/{fp_id}/hits/{reason_code}/review', {
    summary: 'Decide whether a watchlist or media hit is a false positive or confirmed',
    description:
      'The decision is kept with reason, operator (--as) and time; the last one counts. Status and review of the person ' +
      'do not change: decisions create changes them.',
    examples: [
      'risk-signals review fp_id_7p793EF07xKXHqAeg5VGPj watchlist_hit_ofac --as Ada ' +
        '--decision false_positive --reason "another date of birth"',
      'risk-signals review fp_id_7p793EF07xKXHqAeg5VGPj adverse_media_hit ' +
        '--onboarding ob_7p793EF07xKXHqAeg5VGPj --decision confirmed --reason "the same photo"',
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
    view: hitView,
  }),
  'risk-signals:catalogue': made(
    {
      summary: 'List all risk signals',
      examples: [
        'risk-signals catalogue --severity high',
        'risk-signals catalogue --search "address box" --json',
      ],
      flags: {
        severity: option({
          summary: 'only those of this severity',
          options: SEVERITIES,
        })(),
        search: string({
          summary: 'only those whose code, note, description or scopes contain these words',
          helpValue: 'WORDS',
        }),
        ...liveFlag,
      },
      view: catalogueView,
    },
    async ({ flags }, { client }) => chosenEntries(await client.call('GET /org/risk_signals'), flags),
  ),
  'risk-signals:list': made(
    {
      summary: 'List the findings of a run about a user or business, most severe first',
      description:
        'The run is the latest onboarding that is finished, unless --onboarding names one. Hits of watchlists ' +
        'and media follow, with the decision about each.',
      examples: [
        'risk-signals list fp_id_7p793EF07xKXHqAeg5VGPj',
        'risk-signals list fp_bid_7p793EF07xKXHqAeg5VGPj --onboarding ob_7p793EF07xKXHqAeg5VGPj --json',
      ],
      args: entityArg,
      flags: {
        onboarding: string({ summary: 'of this onboarding', helpValue: 'ID' }),
        ...liveFlag,
      },
      beside: async (signals: Signals, { args: { fp_id }, flags }, { client }) =>
        hasHits(signals)
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

const HEADINGS = ['SEVERITY', 'CODE', 'NOTE'];

/** Followed by `hits`, if there are any. */
export function signalListView(signals: Signals, style: Style, hits: readonly Hit[] = []): string {
  const found = table(HEADINGS, signals.map(row), style, 'No risk signals');
  return hits.length === 0 ? found : `${found}\n\n${hitListView(hits, style)}`;
}

function catalogueView(entries: Catalogue, style: Style): string {
  return table(HEADINGS, entries.map(row), style, 'No such risk signal');
}

function row({ severity, reason_code: code, note }: Catalogue[number]): string[] {
  return [severity, code, note];
}

type Catalogue = AnswerOf<'GET /org/risk_signals'>;

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

// Hits of watchlists and adverse media.

type Hit = AnswerOf<'GET /_kyclone/entities/{fp_id}/hits'>[number];

function hitListView(hits: readonly Hit[], style: Style): string {
  const rows = hits.map(({ reason_code, list, matched_name, score, review }) => [
    reason_code,
    list,
    matched_name,
    String(score),
    review?.decision ?? 'to be decided',
    review?.operator ?? null,
    review?.reason ?? null,
  ]);
  const headings = [
    'CODE',
    { text: 'LIST', drop: 4 },
    'MATCHED NAME',
    { text: 'SCORE', drop: 3 },
    'DECISION',
    { text: 'BY', drop: 2 },
    { text: 'REASON', drop: 1 },
  ];
  return table(headings, rows, style, 'No hits');
}

function hitView(hit: Hit, style: Style): string {
  return hitListView([hit], style);
}

function hasHits(signals: Signals): boolean {
  return signals.some(({ reason_code }) => isHitCode(reason_code));
}
