/** What a person who guesses a command is led to. */
import { describe, expect, test } from 'vitest';
import { suggest, notACommand } from '../../../src/cli/guesses/not-a-command.ts';
import { phrase } from '../../../src/cli/guesses/lexicon.ts';
import { GUESSES, THINGS, VERBS } from '../../../src/cli/guesses/words.ts';
import { endpoints } from '../../../src/contract/registry.ts';
import { builtCommands } from '../../support/root.ts';
import { wayTo } from '../../support/static-imports.ts';
import '../../support/tier-all.ts';

const commands = builtCommands();
const ids = Object.keys(commands);
const names = ids.map((id) => id.replaceAll(':', ' '));
const topics = new Set(
  names.flatMap((name) =>
    name
      .split(' ')
      .slice(0, -1)
      .map((_, n, all) => all.slice(0, n + 1).join(' ')),
  ),
);

const suggested = (line: string) => suggest(line.split(' '), ids).commands;
const split = (list: string) => list.split(', ');

/** Why a suggestion is none: undefined if its command, flags and arguments exist. */
function problem(suggestion: string): string | undefined {
  if (suggestion === '--help' || suggestion === '--version') return undefined;
  if (topics.has(suggestion.replace(/ --help$/, ''))) return undefined;
  const name = names
    .filter((each) => `${suggestion} `.startsWith(`${each} `))
    .sort((a, b) => b.length - a.length)[0];
  const command = commands[name?.replaceAll(' ', ':') ?? ''];
  if (name === undefined || command === undefined || command.hidden) return `${suggestion}: no command`;
  const rest = suggestion.slice(name.length + 1);
  if (name === 'api' && rest !== '')
    return endpoints.some(({ key }) => key === rest) ? undefined : `${rest}: no endpoint`;
  const unknown = rest.split(' ').filter((flag) => flag !== '' && !(flag.slice(2) in command.flags));
  return unknown.length === 0 ? undefined : `${name}: has no ${unknown.join(', ')}`;
}

describe('tables', () => {
  test('words: every suggested command exists, with its flags', () => {
    const suggestions = [
      ...THINGS.flatMap(({ acts = {}, alone }) => [
        ...Object.values(acts),
        ...(alone === undefined ? [] : [alone]),
      ]),
      ...Object.values(GUESSES),
    ].flatMap(split);
    expect(suggestions.length).toBeGreaterThan(400);
    expect(suggestions.flatMap((each) => problem(each) ?? [])).toEqual([]);
  });

  test('words: every topic of a thing exists', () => {
    const named = THINGS.flatMap((thing) => (thing.topics === undefined ? [] : split(thing.topics)));
    expect(named.filter((topic) => !topics.has(topic))).toEqual([]);
  });

  test.each([
    ['things', THINGS.flatMap(({ words }) => split(words))],
    ['guesses', Object.keys(GUESSES).flatMap(split)],
  ])('words: none of the %s stands twice', (_, words) => {
    const phrases = words.map(phrase);
    expect(phrases.filter((each, index) => phrases.indexOf(each) !== index)).toEqual([]);
  });
});

describe('rules', () => {
  const pairs = ids
    .filter((id) => id.includes(':') && commands[id]?.hidden !== true)
    .map((id) => {
      const words = id.split(':');
      return { name: words.join(' '), topic: words.slice(0, -1).join(' '), verb: words.at(-1) ?? '' };
    });
  const one = (topic: string) =>
    topic
      .replace(/ies$/, 'y')
      .replace(/sses$/, 'ss')
      .replace(/([^s])s$/, '$1');
  const isCommand = (words: string) => names.some((name) => `${words} `.startsWith(`${name} `));

  test.each(pairs)('$name: is found by its words in another order or number', ({ name, topic, verb }) => {
    for (const guess of [
      `${one(topic)} ${verb}`,
      `${topic.replace(/s?$/, 's')} ${verb}`,
      `${verb} ${topic}`,
      `${verb} ${one(topic)}`,
      `${verb}-${topic.replaceAll(' ', '-')}`,
      `${topic.replaceAll(' ', ':')}:${verb}`,
    ]) {
      // `compare users` is a command of its own.
      if (isCommand(guess) && !guess.startsWith('bank link ')) continue;
      expect(suggested(guess), guess).toContain(name);
    }
  });

  test.each([
    ['list', 'ls'],
    ['get', 'show'],
    ['create', 'add'],
    ['update', 'edit'],
    ['delete', 'rm'],
  ])('%s: is found by %s, in every topic that has it', (verb, synonym) => {
    for (const { name, topic } of pairs.filter((each) => each.verb === verb))
      for (const guess of [`${topic} ${synonym}`, `${synonym} ${one(topic)}`])
        expect(suggested(guess), guess).toContain(name);
  });

  test('rules: no verb leads a thing to a command that does not exist', () => {
    const verbs = VERBS.map(({ words }) => split(words)[0] ?? '');
    const found = THINGS.flatMap(({ words }) =>
      verbs.map((verb) => `${verb} ${split(words)[0] ?? ''}`),
    ).flatMap(suggested);
    expect([...new Set(found)].flatMap((each) => problem(each) ?? [])).toEqual([]);
  });
});

/** Guesses by the command that stands first in the answer. */
const EXPECTED: Readonly<Record<string, string>> = {
  '--help': 'h, man, usage, commands',
  '--version': 'version, show version, -v',
  api: 'curl, http get, request, post, rest, get /users, patch /users/fp_id_1, call',
  'api GET /_kyclone/openapi.json': 'openapi, swagger, schema, show schema',
  'audit list': 'access-log, audit log, audit trail, audit show, access log list, user audit',
  'audit verify': 'audit check, verify access log',
  'bank accounts': 'accounts, account list, list bank accounts, balances, get accounts',
  'bank holdings': 'holdings, portfolio',
  'bank import': 'import transactions, statement import, import bank statement',
  'bank investments': 'investments, list investments',
  'bank link': 'link, connect, link bank, bank connect, link create, reconnect bank',
  'bank links delete': 'bank link delete, delete connection',
  'bank links list': 'bank link list, bank list, connections, bank-links ls',
  'bank links refresh': 'sync, bank sync, refresh bank link',
  'bank links reset': 'unlink, disconnect, bank disconnect',
  'bank personas list': 'personas, institutions, list institutions',
  'bank transactions': 'transactions, list transactions, account transactions',
  'businesses create': 'create business, company create, new company, org add',
  'businesses get': 'get business, show company, fp_bid_1, get fp_bid_1',
  'businesses kyb': 'kyb, kyb run, run kyb, business kyb, company verify',
  'businesses list': 'companies, company, list companies, merchants, show all companies',
  'businesses owners': 'owners, ubo list, beneficial-owners, add owner',
  'clock advance': 'advance, advance time, fast forward, clock forward, time skip, clock tick, sleep',
  'clock freeze': 'freeze, freeze time, time freeze, pause',
  'clock get': 'time, now, date, clock now, show time',
  'clock resume': 'unfreeze, thaw, resume time, reset clock',
  'clock set': 'travel, time travel, set time, set-clock',
  'compare run': 'comparison run, run compare, parity',
  'completion install': 'completions, autocomplete, install completion, completion setup',
  'completion print': 'completion bash, zsh completion',
  'config list': 'settings, preferences, show settings, config ls',
  'config set': 'set setting, config edit, change setting',
  'config delete': 'unset, reset setting',
  'decisions create': 'approve, reject, approve user, decide, override, decision make',
  demo: 'tour, tutorial, quickstart',
  console: 'ui, dashboard, dashbord, gui, open dashboard, web console, web, webui, studio, portal',
  docs: 'open, documentation, manual, reference, doc',
  doctor: 'check, diagnose, troubleshoot, selftest, preflight',
  env: 'login, auth, credentials, environment variables, sign in',
  errors: 'error codes, list errors, error',
  exec: 'test',
  'fake user': 'generate, mock, fake people, faker, generate users',
  'faults create': 'fault add, inject fault, chaos, simulate fault, outage',
  'faults delete': 'clear faults, fault rm',
  'faults presets': 'presets, list fault presets',
  'fixtures run': 'seed, apply, load fixtures, fixture run, db seed',
  init: 'project create, setup',
  inspect: 'tui, inspector, browse, shell',
  'keyring rotate': 'rotate, rekey, rotate master key, root key rotate',
  'keyring slots create': 'passphrase, add passphrase, recovery code, slot add',
  'keyring status': 'unseal, seal status, keyring list, vault status',
  'keys create': 'key create, create api key, create-api-key, new key, tenant create, apikey add',
  'keys delete': 'revoke key, key rm, delete api-key',
  'keys list': 'keys ls, apikey, api-keys, list api keys, tenants',
  logs: 'log, show logs, daemon logs',
  'logs --follow': 'tail logs, follow log, log tail',
  mcp: 'assistant, mcp-server, agent',
  'notes create': 'note add, add comment',
  'onboardings get': 'result, onboarding show, get ob_1, onboarding status',
  'onboardings list': 'kyc list, verifications, list runs, user onboardings',
  'onboardings sessions list': 'session, sessions, flow, hosted flows',
  'onboardings start': 'session create, start flow, start onboarding, hosted link',
  'outcomes create': 'outcome add, set outcome, force outcome, pass',
  'playbooks list': 'playbook, workflows, list playbooks, policy',
  'proxy configs list': 'list proxies, proxy config',
  'proxy send': 'proxy call, call proxy, proxy run, proxy request',
  'record start': 'recording start, start recording, record session',
  report: 'debug, bug report, support bundle',
  'requests list': 'journal, traffic, request list, request log',
  'requests get': 'request show, get req_1',
  'requests tail': 'tail, watch, watch requests, monitor',
  reset: 'wipe, clear, flush, purge, nuke, db reset, delete all, factory reset',
  restart: 'reload, reboot, restart server, rollout restart',
  'risk-signals catalogue': 'reason codes, catalogue',
  'risk-signals hits': 'watchlist, sanctions, aml, screening, hits list, pep',
  'risk-signals list': 'risk, signals, flags, risk list',
  'snapshot create': 'export, backup, dump, save, backup create, snapshot export, save state, stash',
  'snapshot diff': 'diff, compare snapshots',
  'snapshot list': 'snapshots, backups, list backups',
  'snapshot load': 'restore, import, snapshot restore, restore backup, rollback, undo, checkout',
  start: 'up, run, serve, boot, daemon start, start server, sandbox',
  status: 'ps, ls, instances, list instances, info, whoami, health, ping, stats, top, uptime',
  stop: 'down, kill, shutdown, quit, daemon stop, stop instance',
  'tokens delete': 'token revoke, revoke token, token rm',
  'tokens list': 'token, list tokens, token lookup',
  'users cip': 'cip, send cip',
  'users create':
    'add, new, create, create user, user add, add customer, user id.ssn9=1, create-user, signup',
  'users delete': 'rm, remove, delete, delete user, user rm, remove person, destroy user',
  'users documents': 'documents, files, list user documents, document list',
  'users duplicates': 'duplicates, dedupe',
  'users get': 'get, show, get user fp_id_1, describe user, user show, fp_id_1, user fp_id_1, user jane',
  'users kyc': 'kyc, kyc run, run kyc, verify, verify user, check customer, onboard, idv',
  'users label': 'label user, labels, block user',
  'users list':
    'list, people, person, customers, clients, user, list users, get users, users all, applicants, describe-users',
  'users list --review': 'reviews, review queue, pending, cases',
  'users search': 'search, find, lookup, find user, search customers, find jane',
  'users tag': 'tag, tag user, user tag add',
  'users timeline': 'history, timeline, user history, activity, user log',
  'users token': 'create token, token create, new client token, user tokens',
  'users update': 'update, edit user, update user',
  'vault decrypt': 'decrypt, reveal, unmask, detokenize, vault reveal, reveal ssn, decrypt user',
  'vault delete': 'delete file, vault rm',
  'vault download': 'download, get document, file download',
  'vault get': 'mask, vault show, kv get, vault read, vault ls, pii',
  'vault identifiers': 'identifiers, data identifiers',
  'vault integrity': 'hmac, hash',
  'vault set': 'set, encrypt, tokenize, write, put, store, vault write, kv put, vault put',
  'vault upload': 'upload, upload file, attach document, file upload',
  wait: 'await',
  'webhooks create': 'subscribe, webhook add, hook create, create endpoint, create webhook',
  'webhooks deliveries': 'deliveries, delivery list, webhook log',
  'webhooks delete': 'delete webhook, hook rm, remove webhook',
  'webhooks events': 'events, events list, list events',
  'webhooks kinds': 'event types, kinds',
  'webhooks list': 'webhook, hooks, endpoints, subscriptions, list webhooks',
  'webhooks listen': 'listen, forward, hook listen, tunnel',
  'webhooks resend': 'replay, resend, redeliver, events resend, retry delivery',
  'webhooks secret': 'secrets, secret show, webhook secret, signing key',
  'webhooks secret --rotate': 'rotate webhook secret, secret rotate',
  'webhooks trigger': 'trigger, send, event trigger, test webhook, emit event, ping webhook',
  'webhooks verify': 'verify signature, signature, verify webhook',
};

describe('guesses', () => {
  const guesses = Object.entries(EXPECTED).flatMap(([command, lines]) =>
    split(lines).map((line) => [line, command] as const),
  );

  test('guesses: more than 120, and none is a command', () => {
    expect(guesses.length).toBeGreaterThan(120);
    expect(guesses.filter(([line]) => names.includes(line))).toEqual([]);
  });

  test.each(guesses)('%s: leads to %s', (line, command) => {
    expect(suggested(line)[0]).toBe(command);
  });

  test.each([
    ['usres list', 'users list'],
    ['users lst', 'users list'],
    ['webhok add', 'webhooks create'],
    ['custmers list', 'users list'],
    ['snapshots restor', 'snapshot load'],
    ['strat', 'start'],
    ['boot webhok', 'webhooks listen'],
    ['vault decrpt', 'vault decrypt'],
  ])('%s: is corrected to %s', (line, command) => {
    expect(suggested(line)).toEqual([command]);
  });

  test.each([
    ['frobnicate'],
    ['smith'],
    ['users frobnicate'],
    ['users jane'],
    ['delete frobs'],
    ['audit delete'],
    ['merge users'],
    ['logout'],
    ['upgrade'],
    ['git'],
    ['foo bar'],
    ['clone'],
    ['remote'],
    ['clear cache'],
    ['release-notes'],
    ['match users'],
  ])('%s: suggests no command', (line) => {
    expect(suggested(line)).toEqual([]);
  });

  test.each([
    [['get', 'user', '--json'], 'users get'],
    [['--json', 'get', 'user'], 'users get'],
    [['user', '--instance', 'list', 'create'], 'users create'],
    [['ps', '-a', '--format', 'users'], 'status'],
    [['fault', 'add', '--preset', 'slow'], 'faults create'],
    [['Users', 'List'], 'users list'],
    [['apiKeys', 'create'], 'keys create'],
    [['list_users'], 'users list'],
    [['usr', 'ls'], 'users list'],
    [['tag', 'fp_bid_1', 'vip'], 'businesses tag'],
    [['search', 'jane', 'doe', '(415) 555-0100'], 'users search'],
  ])('%j: flags, case and arguments do not confuse it', (argv, command) => {
    expect(suggest(argv, ids).commands[0]).toBe(command);
  });
});

describe('notACommand', () => {
  const problemOf = (...argv: string[]) => {
    const { message, hint, exitCode, code } = notACommand(argv, ids);
    return { message, hint, exitCode, code };
  };

  test.each([
    ['ps', 'kyclone ps is not a command; did you mean "kyclone status"?', 'kyclone status --help'],
    [
      'show all users',
      'kyclone show all users is not a command; did you mean "kyclone users list" or "kyclone users get"?',
      'kyclone --help lists the commands',
    ],
    [
      'tail',
      'kyclone tail is not a command; did you mean "kyclone requests tail", "kyclone webhooks listen" or "kyclone logs --follow"?',
      'kyclone --help lists the commands',
    ],
    [
      'audit-log delete',
      'kyclone audit-log delete is not a command',
      'kyclone audit --help lists the commands of audit',
    ],
    ['users frob', 'kyclone users has no such command', 'kyclone users --help lists the commands of users'],
    [
      'users fp_id_1',
      'kyclone users needs a command; did you mean "kyclone users get"?',
      'kyclone users get --help',
    ],
    ['frobnicate', 'kyclone frobnicate is not a command', 'kyclone --help lists the commands'],
    ['upgrade', 'kyclone upgrade is not a command', 'npm installs, upgrades and removes kyclone'],
    [
      'webhook secret rotate',
      'kyclone webhook secret rotate is not a command; did you mean "kyclone webhooks secret --rotate"?',
      'kyclone webhooks secret --help',
    ],
  ])('%s: the error repeats the words and says what to do', (line, message, hint) => {
    expect(problemOf(...line.split(' '))).toEqual({ message, hint, exitCode: 2, code: 'usage' });
  });

  test.each([
    [['user', 'id.ssn9=123-45-6789'], 'kyclone user is not a command'],
    [['user', 'quillonda'], 'kyclone user is not a command'],
    [['users', 'quillonda'], 'kyclone users has no such command'],
    [['find', 'quillonda', 'user'], 'kyclone find is not a command'],
    [['delete', 'user', 'quillonda'], 'kyclone delete user is not a command'],
    [['search', '--name', 'quillonda'], 'kyclone search is not a command'],
    [['ps', '--', 'quillonda'], 'kyclone ps is not a command'],
    [['--as', 'quillonda', 'ps'], 'kyclone ps is not a command'],
    [['Quillonda', 'list'], 'There is no such command'],
    [['id.ssn9=123-45-6789'], 'There is no such command'],
    [['--quillonda'], 'There is no such command'],
    [['webhok', 'quillonda'], 'kyclone webhok is not a command'],
  ])('%j: no word that may be a value is repeated', (argv, begins) => {
    const { message, hint } = problemOf(...argv);
    expect(message.startsWith(begins), message).toBe(true);
    expect(`${message} ${hint ?? ''}`).not.toMatch(/quillonda|123-45/i);
  });
});

test('imports: no command that is known loads the guesses', () => {
  expect(wayTo('src/cli/guesses/', 'src/cli/main.ts')).toBeUndefined();
  expect(wayTo('src/cli/guesses/words', 'src/cli/guesses/not-a-command.ts')).toBeDefined();
});
