/**
 * The values of an argument or flag, for the completions of every shell. The manifest has the options of flags;
 * everything else is listed here, by command and name.
 */
import { HTTP_METHODS } from '../../nouns/requests/facts.ts';

/** Kinds of ids that the daemon lists when the user presses Tab. */
export const LIVE_KINDS = [
  'users',
  'businesses',
  'entities',
  'stakes',
  'external-ids',
  'onboardings',
  'sessions',
  'links',
  'accounts',
  'webhooks',
  'proxies',
  'events',
  'keys',
  'tenants',
  'playbooks',
  'snapshots',
  'faults',
  'requests',
  'rules',
  'slots',
  'tokens',
  'instances',
] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

/** Word lists inside the scripts. */
export const STATIC_LISTS = [
  'identifiers',
  'fields',
  'events',
  'personas',
  'signals',
  'settings',
  'assignments',
  'scopes',
  'permissions',
  'paths',
  'errors',
  'topics',
] as const;
export type StaticList = (typeof STATIC_LISTS)[number];

export type Slot =
  | { readonly is: 'nothing' | 'file' | 'folder' }
  | { readonly is: 'words'; readonly words: readonly string[] }
  | { readonly is: 'list'; readonly list: StaticList; readonly commas?: true }
  | { readonly is: 'live'; readonly kind: LiveKind; readonly commas?: true };

const NOTHING: Slot = { is: 'nothing' };
const FILE: Slot = { is: 'file' };
const live = (kind: LiveKind): Slot => ({ is: 'live', kind });
const list = (name: StaticList): Slot => ({ is: 'list', list: name });

/**
 * An argument is `<command> <name>`, a flag `<command> --<name>`, as in `bank links get link`. The first matching
 * rule wins.
 */
const RULES: readonly (readonly [place: RegExp, slot: Slot])[] = [
  // Ids that the caller chooses.
  [/ --(?:idempotency|sandbox|device|cookie)-id$/, NOTHING],
  [/^outcomes create --external-id$/, live('external-ids')],
  [/ (?:create|start|fake \S+) --external-id$/, NOTHING],
  [/ --(?:\w+-)?external-id$/, live('external-ids')],

  [/^users .* fp_id$|^onboardings token fp_id$/, live('users')],
  [/ --redirect-url$/, NOTHING],
  [/ fp_bid$/, live('businesses')],
  [/ (?:--)?fp[-_]id$/, live('entities')],
  [/ --user$/, live('users')],
  [/ --business$/, live('businesses')],
  [/ --entity$/, live('entities')],
  [/^proxy .* --id$/, live('entities')],
  [/^bank links list --id$/, live('entities')],
  [/^businesses owners --(?:add|set)$/, live('stakes')],
  [/^businesses owners --remove$/, live('users')],

  [/ --link-ids$/, { is: 'live', kind: 'links', commas: true }],
  [/ (?:--)?link(?:_id|-id)?$/, live('links')],
  [/ --account$/, live('accounts')],
  [/ --persona$/, list('personas')],
  [/^bank personas get name$/, list('personas')],

  [/^webhooks resend id$/, live('events')],
  [/^webhooks (?:delete|secret|update) id$/, live('webhooks')],
  [/^proxy configs .* id$|^proxy send --config$/, live('proxies')],
  [/ --webhook$|^webhooks .* --to$/, live('webhooks')],
  [/ --event$/, live('events')],
  [/ --events$/, { is: 'list', list: 'events', commas: true }],
  [/^webhooks trigger kinds$|^webhooks (?:deliveries|events) --kind$/, list('events')],

  [/^keys .* id$/, live('keys')],
  [/^keys (?:create|update) --scope$/, list('scopes')],
  [/^(?:console|keys create|keys update) --permission$/, list('permissions')],
  [/ --tenant$/, live('tenants')],
  [/^onboardings sessions .* id$/, live('sessions')],
  [/^onboardings .* id$/, live('onboardings')],
  [/ --onboarding$/, live('onboardings')],
  [/^playbooks .* key$/, live('playbooks')],
  [/^playbooks create --key$/, NOTHING],
  [/ --playbook$/, live('playbooks')],
  [/^outcomes .* id$/, live('rules')],
  [/ --(?:add|remove)-signal$/, list('signals')],
  [/^tokens delete id$/, live('tokens')],
  [/^notes delete note_id$/, NOTHING],
  [/^keyring slots delete id$/, live('slots')],

  [/^snapshot create name$/, NOTHING],
  [/^snapshot \S+ (?:name|names|from|to|left|right|other|against|snapshot)$/, live('snapshots')],
  [/^snapshot .* --(?:against|to|name)$/, live('snapshots')],
  [/^faults (?:\S+ )?ids?$/, live('faults')],
  [/^requests .* ids?$/, live('requests')],
  [/ (?:--)?request[-_]id$/, live('requests')],
  [/ --instance$/, live('instances')],

  [/^vault identifiers prefix$/, list('identifiers')],
  [/^errors code$/, list('errors')],
  [/^docs topic$/, list('topics')],
  [/ (?:--)?identifiers?$/, list('identifiers')],
  [/ fields$/, list('fields')],
  [/ --where$/, list('fields')],
  [/^config .* name$/, list('settings')],
  [/^(?:start|restart|exec) --set$/, list('assignments')],
  [/^api method$/, { is: 'words', words: HTTP_METHODS }],
  [/^api path$/, list('paths')],
  [/ files?$/, FILE],
];

/** The values of a flag by its help value, if no rule matches the flag. */
const BY_HELP_VALUE: Readonly<Record<string, Slot>> = {
  FILE,
  '@FILE': FILE,
  FOLDER: { is: 'folder' },
  DIR: { is: 'folder' },
  IDENTIFIER: list('identifiers'),
  IDENTIFIERS: { is: 'list', list: 'identifiers', commas: true },
};

/** `place` as in the rules. The options and the help value come from the manifest. */
export function slotOf(
  place: string,
  { options, helpValue }: { options?: readonly string[] | undefined; helpValue?: string | undefined },
): Slot {
  if (options !== undefined && options.length > 0) return { is: 'words', words: options };
  return ruleFor(place) ?? BY_HELP_VALUE[helpValue ?? ''] ?? NOTHING;
}

export function ruleFor(place: string): Slot | undefined {
  return RULES.find(([pattern]) => pattern.test(place))?.[1];
}
