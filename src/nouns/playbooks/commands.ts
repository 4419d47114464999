/** Playbooks: shared flags of `playbooks create` and `playbooks update` (contract §4.1), and their views. */
import { string as stringArg } from '@oclif/core/args';
import { option, string, boolean } from '@oclif/core/flags';
import { PLAYBOOK_KINDS } from '../onboardings/facts.ts';
import { OUTCOMES } from '../outcomes/facts.ts';
import { DOCUMENT_KINDS } from '../vault/facts.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { derived } from '../../cli/shell/derived.ts';
import { UsageError } from '../../cli/shell/failure.ts';
import { type FlagValues, pageFlags, spaceFlags, yesFlag, repeatable } from '../../cli/shell/flags.ts';
import { facts, listView, members } from '../../cli/shell/layout.ts';
import type { Style } from '../../cli/shell/output.ts';
import { durationFlag, durationText } from '../../cli/shell/times.ts';

type Playbook = AnswerOf<'GET /_kyclone/playbooks/{key}'>;
type Changes = RequestOf<'PATCH /_kyclone/playbooks/{key}'>['body'];

const playbookArg = {
  key: stringArg({ description: 'key of the playbook (pb_test_… or pb_live_…)', required: true }),
};

const playbookFlags = {
  require: string({
    summary: 'a required identifier; of a comma-separated group one is enough; repeatable',
    helpValue: 'IDENTIFIERS',
    ...repeatable,
  }),
  'require-nothing': boolean({ summary: 'no identifier is required' }),
  'default-outcome': option({ summary: 'the outcome of runs without another rule', options: OUTCOMES })(),
  delay: durationFlag({ summary: 'how long runs are pending: 1500ms, 30s, 2m, 1h, PT2M' }),
  'session-delay': durationFlag({ summary: 'how long hosted runs are pending, after the person has left' }),
  rules: boolean({ summary: 'the playbook has rules over signals: runs get the default outcome' }),
  'no-rules': boolean({ summary: 'the playbook has no rules: the outcome of runs is none' }),
  'collects-owners': boolean({ summary: 'owners are asked for, in a hosted flow only' }),
  'no-collects-owners': boolean({ summary: 'owners are not asked for' }),
  'owners-playbook': string({
    summary: 'key of the kyc playbook that a hosted flow runs each owner on; needs --collects-owners',
    helpValue: 'KEY',
  }),
  'no-owners-playbook': boolean({ summary: 'owners are not run on a playbook' }),
  document: option({
    summary: 'a kind of document; a hosted flow asks for one of the kinds given; repeatable',
    options: DOCUMENT_KINDS,
    ...repeatable,
  })(),
  'no-document': boolean({ summary: 'no document is asked for beside the data' }),
  selfie: boolean({ summary: 'a hosted flow asks for a picture of the person beside the document' }),
  'no-selfie': boolean({ summary: 'no picture of the person is asked for' }),
  'bank-link': boolean({ summary: 'a hosted flow asks for a bank' }),
  'no-bank-link': boolean({ summary: 'no bank is asked for' }),
};

type PlaybookFlags = Partial<FlagValues<typeof playbookFlags>>;

/** The given members. Throws UsageError for contradictory flags. */
export function playbookSettings(flags: PlaybookFlags): Omit<Changes, 'name'> {
  const requirements = requirementsOf(flags);
  const hasRules = eitherWay(flags, 'rules');
  const collectsOwners = eitherWay(flags, 'collects-owners');
  const ownersPlaybook = givenOrNone(
    flags['owners-playbook'],
    flags['no-owners-playbook'],
    'owners-playbook',
  );
  const documents = givenOrNone(flags.document, flags['no-document'], 'document');
  const selfie = eitherWay(flags, 'selfie');
  const bankLink = eitherWay(flags, 'bank-link');
  const { 'default-outcome': outcome, delay, 'session-delay': sessionDelay } = flags;
  return defined({
    requirements,
    has_rules: hasRules,
    default_outcome: outcome,
    delay_ms: delay,
    session_delay_ms: sessionDelay,
    collects_owners: collectsOwners,
    owners_playbook_key: ownersPlaybook,
    documents: documents && [...new Set(documents)],
    selfie,
    bank_link: bankLink,
  });
}

/** True, false, or undefined if neither `--NAME` nor `--no-NAME` was given. */
function eitherWay(
  flags: PlaybookFlags,
  name: 'rules' | 'collects-owners' | 'selfie' | 'bank-link',
): boolean | undefined {
  const [on, off] = [flags[name], flags[`no-${name}`]];
  if (on && off) throw new UsageError(`--${name} and --no-${name} exclude each other`);
  return on || off ? on : undefined;
}

/** The value of `--NAME`, null for `--no-NAME`, undefined for neither. */
function givenOrNone<Value>(
  given: Value | undefined,
  isNone: boolean | undefined,
  name: string,
): Value | null | undefined {
  if (given !== undefined && isNone) throw new UsageError(`--${name} and --no-${name} exclude each other`);
  return isNone ? null : given;
}

function requirementsOf(flags: PlaybookFlags): string[][] | undefined {
  if (flags['require-nothing']) {
    if (flags.require) throw new UsageError('--require and --require-nothing exclude each other');
    return [];
  }
  return flags.require?.map((group) => {
    const identifiers = group.split(',').map((identifier) => identifier.trim());
    if (identifiers.includes('')) throw new UsageError('--require takes identifiers: id.ssn9,id.ssn4');
    return identifiers;
  });
}

export const playbookListView = listView<AnswerOf<'GET /_kyclone/playbooks'>>('No playbooks', [
  ['KEY', 'key'],
  ['KIND', 'kind'],
  ['VERSION', 'version'],
  ['OUTCOME', ({ has_rules, default_outcome }) => (has_rules ? default_outcome : 'none')],
  ['NAME', (playbook) => [playbook.name, ...askedInFlow(playbook)].join(', ')],
]);

export function playbookView(playbook: Playbook, style: Style): string {
  const { has_rules: hasRules, default_outcome: outcome } = playbook;
  return facts(
    members(playbook, {
      requirements: ['requires', (groups) => groups.map(groupText)],
      has_rules: [],
      default_outcome: [
        'outcome',
        () => (hasRules ? outcome : `none, as it has no rules (with rules: ${outcome})`),
      ],
      delay_ms: ['delay', durationText],
      session_delay_ms: ['session delay', durationText],
      owners_playbook_key: ['owners playbook'],
      documents: ['documents', (kinds) => kinds?.join(' or ') ?? null],
      created_at: ['created'],
    }),
    style,
  );
}

function askedInFlow(playbook: Playbook): string[] {
  const { collects_owners, owners_playbook_key, documents, selfie, bank_link } = playbook;
  const asked = [
    ...(collects_owners ? [owners_playbook_key === null ? 'owners' : 'owners, who are run'] : []),
    ...(documents ? [documents.join(' or ')] : []),
    ...(selfie ? ['selfie'] : []),
    ...(bank_link ? ['bank'] : []),
  ];
  return asked.length === 0 ? [] : [`with ${asked.join(', ')}`];
}

function groupText(group: readonly string[]): string {
  return group.length === 1 ? (group[0] ?? '') : `one of ${group.join(', ')}`;
}

export default {
  'playbooks:create': derived('POST /_kyclone/playbooks', {
    summary: 'Create a playbook',
    description:
      'Without --require a kyc or kyb playbook requires what the default one does. In the sandbox, unless --live.',
    examples: [
      '"Light KYC" --kind kyc --require id.first_name --require id.ssn9,id.ssn4',
      '"Slow KYB" --kind kyb --key pb_test_slow --delay 2m --default-outcome fail',
      'Passports --kind document --document passport --selfie',
      '"KYC with a bank" --kind kyc --bank-link',
      'Owners --kind kyb --collects-owners --owners-playbook pb_test_kycdefault000000000000',
    ],
    args: { name: stringArg({ description: 'name of the playbook', required: true }) },
    flags: {
      kind: option({ summary: 'kind of the playbook', options: PLAYBOOK_KINDS, required: true })(),
      key: string({ summary: 'a key of your choice (default: a generated one)', helpValue: 'KEY' }),
      ...playbookFlags,
      ...spaceFlags,
    },
    send: ({ args, flags }) => ({
      name: args.name,
      kind: flags.kind,
      key: flags.key,
      ...playbookSettings(flags),
    }),
    view: playbookView,
  }),
  'playbooks:delete': derived('DELETE /_kyclone/playbooks/{key}', {
    summary: 'Delete a playbook that has no open onboardings',
    examples: ['pb_test_mine --yes', 'pb_test_mine --dry-run'],
    args: playbookArg,
    flags: { ...yesFlag, ...spaceFlags },
    confirm: 'Delete this playbook',
    view: () => 'Deleted',
  }),
  'playbooks:get': derived('GET /_kyclone/playbooks/{key}', {
    summary: 'Show a playbook: its requirements and the outcomes of its runs',
    examples: ['pb_test_kycdefault000000000000', 'pb_test_kybdefault000000000000 --output yaml'],
    args: playbookArg,
    flags: spaceFlags,
    view: playbookView,
  }),
  'playbooks:list': derived('GET /_kyclone/playbooks', {
    summary: 'List playbooks, newest first: what users and businesses are onboarded onto',
    examples: ['', '--kind kyb --live --json'],
    flags: {
      kind: option({ summary: 'only those of this kind', options: PLAYBOOK_KINDS })(),
      ...pageFlags,
      ...spaceFlags,
    },
    view: playbookListView,
  }),
  'playbooks:update': derived('PATCH /_kyclone/playbooks/{key}', {
    summary: 'Change a playbook',
    description:
      'Changes of its requirements, its rules or its default outcome make a new version. --require replaces all that ' +
      'was required before. A delay of 0 means none.',
    examples: [
      'pb_test_mine --default-outcome manual_review',
      'pb_test_mine --require id.email --require id.ssn9,id.itin --delay 0s',
      'pb_test_mine --document id_card --document passport --selfie',
      'pb_test_mine --no-selfie --no-document',
    ],
    args: playbookArg,
    flags: {
      name: string({ summary: 'name of the playbook', helpValue: 'TEXT' }),
      ...playbookFlags,
      ...spaceFlags,
    },
    send: ({ flags }) => ({ name: flags.name, ...playbookSettings(flags) }),
    view: playbookView,
  }),
};
