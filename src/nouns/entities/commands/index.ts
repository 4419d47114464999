/** What users and businesses have alike; the frequent commands are in `entities/`, so that they load none of this. */
import { unknownFilters } from '../../../cli/shell/unknown-filters.ts';
import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string } from '@oclif/core/flags';
import { entityEndpoint } from '../../../client/entity-endpoint.ts';
import { BUSINESS_TOKEN_SCOPES, TOKEN_SCOPES } from '../../client-tokens/facts.ts';
import type { VerificationResult } from '../../vault/facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import {
  changeTags,
  deviceBody,
  deviceFlags,
  labelArg,
  labelBody,
  labelView,
  tagFlags,
  tagListView,
  tagsArg,
} from './attributes.ts';
import { defined } from '../../../kernel/defined.ts';
import { idOf, twins } from './twins.ts';
import { documentListView } from './view.ts';
import { derived, made } from '../../../cli/shell/derived.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import {
  identifierArg,
  liveFlag,
  needing,
  pageFlags,
  reasonFlag,
  reasonOf,
  spaceFlags,
  whyFlag,
  yesFlag,
  repeatable,
} from '../../../cli/shell/flags.ts';
import type { InputSource } from '../../../cli/shell/input.ts';
import { listView, shortTime, table } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';
import {
  newTokenView,
  TOKEN_SCOPE_HELP,
  tokenBody,
  tokenFlags,
  tokenNote,
} from '../../client-tokens/commands/client-tokens.ts';
import { TIMELINE_KINDS } from '../facts.ts';

// The timeline of an entity: shared flags, help and view.

const TIMELINE_DESCRIPTION =
  'Runs, risk signals, decisions, labels and tags, vault writes by the names of their fields, documents, bank links, ' +
  'events with their deliveries, and who read what and why. No value is shown.';

const timelineFlags = {
  kind: option({ summary: 'only of this kind; repeatable', options: TIMELINE_KINDS, ...repeatable })(),
  ...pageFlags,
  ...spaceFlags,
};

// Compares a caller's statement with a stored value, and one entity with another: shared flags, help and views.

type Verification = AnswerOf<'POST /users/{fp_id}/verify'>;
type Comparison = AnswerOf<'POST /users/{fp_id}/compare'>;

const verifyArgs = {
  ...identifierArg,
  value: stringArg({ description: 'what the caller said: @FILE, - for stdin, ? for a prompt', default: '?' }),
};
const verifyFlags = {
  also: string({
    summary: 'check this, too, with the same reason: =? asks without echo, =@FILE, =-; repeatable',
    helpValue: 'IDENTIFIER=VALUE',
    multiple: true,
  }),
  reason: reasonFlag({ summary: 'why; asked for on a terminal' }),
  ...liveFlag,
};
const compareFlags = { reason: reasonFlag({ summary: 'why, for the access log; optional' }), ...liveFlag };

const VERIFY_DESCRIPTION =
  'Shows only whether it matches: exit code 0 when it does, 1 when it does not, can not be read, or nothing is stored. The ' +
  'value is asked for without echo unless it is given; it is compared as the vault stores it, and a date may be as people ' +
  'say it (12/30/88, 30.12.1988, 30 Dez 1988). The access log records who asked, why, for which field and with what result.';
const COMPARE_DESCRIPTION =
  'Shows for each field whether it is equal, different, or unknown because only one of both has it; no value is shown. ' +
  'It is recorded in the access log of both.';

const WORDS: Readonly<Record<VerificationResult, string>> = {
  match: 'matches',
  no_match: 'does not match',
  unreadable: 'can not be read',
  nothing_to_compare: 'nothing is stored to compare with',
};

const IDENTIFIER_SHAPE = /^(?:[a-z_]+\.[\w.-]+|custom\.[^=:]+)$/;

/** The values of the command: one, or several with the values of `--also`. Throws UsageError. */
async function sayingsOf(
  { identifier, value }: { readonly identifier: string; readonly value: string },
  also: readonly string[] | undefined,
  input: Pick<InputSource, 'secret'>,
) {
  const asked = async (where: string, name: string, text: string) => {
    if (!IDENTIFIER_SHAPE.test(name))
      throw new UsageError(
        `${where} takes a data identifier (not shown: it may hold a value)`,
        'identifiers look like id.first_name',
      );
    return { identifier: name, value: await input.secret(text, `What the caller said of ${name}`) };
  };
  const whole = pairIn(identifier);
  if (whole && value !== '?') {
    const second = pairIn(value)?.name ?? '';
    throw [whole.name, second].every((name) => IDENTIFIER_SHAPE.test(name))
      ? new UsageError(
          'Each fact after the first needs --also',
          `${whole.name}=VALUE --also ${second}=VALUE checks both`,
        )
      : new UsageError('IDENTIFIER=VALUE has the value already', 'give id.dob VALUE, or id.dob=VALUE');
  }
  const first = await asked('IDENTIFIER', whole?.name ?? identifier, whole?.text ?? value);
  if (also === undefined) return first;
  const values = [first];
  for (const each of also) {
    const pair = pairIn(each);
    if (!pair) throw new UsageError('--also needs an identifier and a value', 'it looks like id.dob=?');
    values.push(await asked('--also', pair.name, pair.text));
  }
  return { values };
}

/** `id.dob=VALUE`, as other commands take it. */
function pairIn(typed: string): { readonly name: string; readonly text: string } | undefined {
  const [, name, text] = /^([^=]+)=(.+)$/s.exec(typed) ?? [];
  return name === undefined || text === undefined ? undefined : { name, text };
}

function isVerified({ results }: Verification): boolean {
  return results.every(({ result }) => result === 'match');
}

function verificationView({ results }: Verification, style: Style): string {
  return results
    .map(({ identifier, result, hint }) => {
      const text = `${identifier}: ${WORDS[result]}`;
      if (result === 'match') return style.good(text);
      return hint === null ? style.bad(text) : `${style.warn(text)}. ${hint}`;
    })
    .join('\n');
}

function comparisonView({ fields }: Comparison, style: Style): string {
  const rows = fields.map(({ identifier, result }) => [identifier, result]);
  return table(['FIELD', 'RESULT'], rows, style, 'Neither has any data');
}

export default twins((own) => {
  const { kind, topic, arg, id } = own;
  const isUser = kind === 'user';
  const other = id.replace(/_[^_]+$/, '_0a1b2c3d4e5f6g7h8i9j0k');
  const [plain, number] = isUser ? ['id.first_name', 'id.ssn9'] : ['business.name', 'business.tin'];
  const [compared, file] = isUser ? ['id.phone_number', 'said.txt'] : ['business.tin', 'tin.txt'];
  return {
    label: made(
      {
        summary: `Show the label of a ${kind}, or set it; none removes it`,
        examples: [id, `${id} offboard_fraud --as Ada --reason "a stolen card"`],
        args: { ...arg, ...labelArg },
        flags: { reason: needing(whyFlag.reason, 'label'), ...liveFlag },
        view: labelView,
      },
      async ({ args, flags }, { client }) => {
        const { key, params } = entityEndpoint('GET /{entity}/label', idOf(args));
        const setting = entityEndpoint('POST /{entity}/label', idOf(args));
        return args.label === undefined
          ? await client.call(key, { params })
          : await client.call(setting.key, { params, body: { ...labelBody(args.label), ...whyOf(flags) } });
      },
    ),
    tag: made(
      {
        summary: `List the tags of a ${kind}, add some or remove some`,
        examples: [id, `${id} vip "wave 2" --remove trial`],
        args: { ...arg, ...tagsArg },
        flags: { reason: needing(whyFlag.reason, 'tags', 'remove'), ...tagFlags },
        view: tagListView,
      },
      async ({ args, flags }, { client }) => {
        const list = entityEndpoint('GET /{entity}/tags', idOf(args));
        const add = entityEndpoint('POST /{entity}/tags', idOf(args));
        const remove = entityEndpoint('DELETE /{entity}/tags/{tag_id}', idOf(args));
        return await changeTags(
          { add: args.tags, remove: flags.remove },
          {
            list: () => client.call(list.key, { params: list.params }),
            add: (tag) => client.call(add.key, { params: add.params, body: { tag, ...whyOf(flags) } }),
            remove: (tag_id) =>
              client.call(remove.key, { params: { ...remove.params, tag_id }, body: whyOf(flags) }),
          },
        );
      },
    ),
    compare: derived('POST /{entity}/compare', {
      summary: `Compare two ${topic}: which fields are equal and which differ, without showing values`,
      description: COMPARE_DESCRIPTION,
      examples: [`${id} ${other}`, `${id} ${other} --reason "case 4711" --json`],
      args: { ...arg, ...own.otherArg },
      flags: compareFlags,
      send: ({ args, flags }) => ({ with: args.other, reason: flags.reason }),
      view: comparisonView,
    }),
    claim: derived('POST /_kyclone/entities/{fp_id}/claim', {
      summary: `Claim the case of a ${kind} for 15 minutes, or take it over from another operator`,
      description:
        'The review queue shows who has claimed a case. A claim forbids nothing; it needs a name (--as or KYCLONE_ACTOR).',
      examples: [`${id} --as Ada`, `${id} --take-over --as Ada`],
      args: arg,
      flags: { 'take-over': boolean({ summary: 'also when another operator has it' }), ...spaceFlags },
      isNamed: true,
      send: ({ flags }) => ({ take_over: flags['take-over'] }),
      view: ({ operator, until }) => `Claimed by ${operator} until ${until}`,
    }),
    release: derived('DELETE /_kyclone/entities/{fp_id}/claim', {
      summary: `Release your claim of the case of a ${kind}`,
      examples: [`${id} --as Ada`, `${id} --as Ada --json`],
      args: arg,
      flags: spaceFlags,
      isNamed: true,
      view: () => 'Released',
    }),
    delete: derived('DELETE /{entity}', {
      summary: `Delete a ${kind} and shred its vault; this cannot be undone`,
      examples: [`${id} --yes --reason "asked for it"`, `${id} --dry-run`],
      args: arg,
      flags: { ...whyFlag, ...yesFlag, ...liveFlag },
      confirm: ({ args }) => `Delete ${kind} ${idOf(args)} and all its data`,
    }),
    device: derived('PATCH /_kyclone/entities/{fp_id}', {
      summary: `Set what risk signals know of a ${kind}’s device; none removes a value`,
      examples: [`${id} --device-id device-1 --ip-address 203.0.113.7`, `${id} --cookie-id none`],
      args: arg,
      flags: deviceFlags,
      send: ({ flags }) => deviceBody(flags),
      view: () => 'Set',
    }),
    documents: derived('GET /{entity}/documents', {
      summary: `List a ${kind}’s documents and which vault version stored each image`,
      examples: [id, `${id} --onboarding ob_…`],
      args: arg,
      flags: {
        onboarding: string({ summary: 'only those of this onboarding', helpValue: 'ID' }),
        ...liveFlag,
      },
      send: ({ flags }) => ({ onboarding_id: flags.onboarding }),
      note: (documents, { flags }, _, { client }) => unknownFilters(documents, flags, client),
      view: documentListView,
    }),
    timeline: derived('GET /_kyclone/entities/{fp_id}/timeline', {
      summary: `List all that happened to a ${kind}, newest first`,
      description: TIMELINE_DESCRIPTION,
      examples: [id, `${id} --kind read --kind decision --json`],
      args: arg,
      flags: timelineFlags,
      send: ({ flags }) => ({ kinds: flags.kind?.join(',') }),
      view: listView('Nothing happened', [
        ['AT (UTC)', ({ at }) => shortTime(at)],
        ['KIND', 'kind'],
        ['WHAT', 'title'],
        [
          'BY WHOM, WHY AND DETAILS',
          ({ by, reason, details }) =>
            [
              ...(by === null ? [] : [`by ${by}`]),
              ...(reason === null ? [] : [`“${reason}”`]),
              ...(details.length === 0 ? [] : [details.join(' ')]),
            ].join('; '),
        ],
      ]),
    }),
    token: derived('POST /{entity}/client_token', {
      summary: `Make a short-lived token for some of a ${kind}’s identifiers; it is shown only once`,
      examples: [
        `${id} --scope vault --field ${plain} --field ${number}`,
        `TOKEN=$(<%= config.bin %> ${topic} token ${id} --scope decrypt ` +
          `--field ${number} --ttl 5m --reason "support case 4711")`,
      ],
      args: arg,
      flags: {
        scope: option({
          summary: TOKEN_SCOPE_HELP,
          options: isUser ? TOKEN_SCOPES : BUSINESS_TOKEN_SCOPES,
          required: true,
        })(),
        ...tokenFlags,
      },
      send: ({ flags }) => tokenBody(flags),
      note: tokenNote,
      view: newTokenView,
    }),
    verify: derived('POST /{entity}/verify', {
      summary: `Verify what a caller says about a ${kind} against the stored value`,
      description: VERIFY_DESCRIPTION,
      examples: [
        `${id} ${compared} --reason "call 4711"`,
        `${id} ${compared} - --reason "call 4711" < ${file}`,
        `${id} ${compared} --also ${plain}=? --reason "call 4711"`,
      ],
      args: { ...arg, ...verifyArgs },
      flags: verifyFlags,
      send: async ({ args, flags }, { input }) => ({
        ...(await sayingsOf(args, flags.also, input)),
        reason: await reasonOf(flags.reason, input),
      }),
      fails: (verification) => !isVerified(verification),
      view: verificationView,
    }),
  };
});

function whyOf({ reason }: { readonly reason?: string | undefined }): { reason?: string } {
  return defined({ reason });
}
