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

/** Guesses that words.ts doesn't have as a whole, by the command that stands first in the answer. */
const EXPECTED: Readonly<Record<string, string>> = {
  '--version': 'show version',
  api: 'http get, get /users, patch /users/fp_id_1',
  'api GET /_kyclone/openapi.json': 'show schema',
  'audit list': 'audit show, access log list, user audit',
  'audit verify': 'audit check, verify access log',
  'bank accounts': 'account list, list bank accounts, get accounts',
  'bank import': 'import transactions, statement import, import bank statement',
  'bank investments': 'list investments',
  'bank link': 'link bank, bank connect, link create, reconnect bank',
  'bank links delete': 'bank link delete, delete connection',
  'bank links list': 'bank link list, bank list, bank-links ls',
  'bank links refresh': 'bank sync, refresh bank link',
  'bank links reset': 'bank disconnect',
  'bank personas list': 'personas, list institutions',
  'bank transactions': 'list transactions, account transactions',
  'businesses create': 'create business, company create, new company, org add',
  'businesses get': 'get business, show company, fp_bid_1, get fp_bid_1',
  'businesses kyb': 'kyb run, run kyb, business kyb, company verify',
  'businesses list': 'companies, company, list companies, merchants, show all companies',
  'businesses owners': 'ubo list, add owner',
  'clock advance': 'advance, advance time, clock forward, time skip, clock tick',
  'clock freeze': 'freeze, freeze time, time freeze, pause',
  'clock get': 'clock now, show time',
  'clock resume': 'unfreeze, thaw, resume time, reset clock',
  'clock set': 'set time, set-clock',
  'compare run': 'comparison run, run compare',
  'completion install': 'install completion, completion setup',
  'completion print': 'completion bash, zsh completion',
  'config list': 'show settings, config ls',
  'config set': 'set setting, config edit, change setting',
  'config delete': 'reset setting',
  'decisions create': 'approve user, decision make',
  console: 'dashbord, open dashboard',
  errors: 'list errors',
  'fake user': 'fake people, generate users',
  'faults create': 'fault add, inject fault, simulate fault',
  'faults delete': 'clear faults, fault rm',
  'faults presets': 'list fault presets',
  'fixtures run': 'load fixtures, fixture run',
  init: 'project create',
  'keyring rotate': 'rotate master key, root key rotate',
  'keyring slots create': 'add passphrase, slot add',
  'keyring status': 'keyring list, vault status',
  'keys create': 'key create, create api key, create-api-key, new key, tenant create, apikey add',
  'keys delete': 'revoke key, key rm, delete api-key',
  'keys list': 'keys ls, list api keys',
  logs: 'show logs',
  'logs --follow': 'tail logs, follow log, log tail',
  'notes create': 'note add, add comment',
  'onboardings get': 'onboarding show, get ob_1, onboarding status',
  'onboardings list': 'kyc list, verifications, user onboardings',
  'onboardings start': 'session create, start flow, start onboarding',
  'outcomes create': 'outcome add, set outcome, force outcome',
  'playbooks list': 'playbook, workflows, list playbooks, policy',
  'proxy configs list': 'list proxies, proxy config',
  'proxy send': 'proxy call, call proxy, proxy run, proxy request',
  'record start': 'recording start, start recording',
  'requests list': 'request list',
  'requests get': 'request show, get req_1',
  'requests tail': 'watch requests',
  reset: 'db reset',
  restart: 'reload, reboot, restart server',
  'risk-signals hits': 'hits list',
  'risk-signals list': 'risk, signals, flags, risk list',
  'snapshot create': 'backup create, snapshot export, save state',
  'snapshot diff': 'compare snapshots',
  'snapshot list': 'snapshots, list backups',
  'snapshot load': 'snapshot restore, restore backup',
  start: 'boot, daemon start, start server',
  status: 'list instances',
  stop: 'kill, shutdown, quit, daemon stop, stop instance',
  'tokens delete': 'token revoke, revoke token, token rm',
  'tokens list': 'list tokens, token lookup',
  'users cip': 'send cip',
  'users create': 'add, new, create, create user, user add, add customer, user id.ssn9=1, create-user',
  'users delete': 'rm, remove, delete, delete user, user rm, remove person, destroy user',
  'users documents': 'list user documents, document list',
  'users get': 'get, show, get user fp_id_1, describe user, user show, fp_id_1, user fp_id_1, user jane',
  'users kyc': 'kyc run, run kyc, verify user, check customer',
  'users label': 'label user, block user',
  'users list':
    'list, people, person, customers, clients, user, list users, get users, users all, applicants, describe-users',
  'users search': 'find user, search customers, find jane',
  'users tag': 'tag user, user tag add',
  'users timeline': 'user history, user log',
  'users token': 'create token, token create, new client token, user tokens',
  'users update': 'edit user, update user',
  'vault decrypt': 'decrypt, reveal, unmask, detokenize, vault reveal, reveal ssn, decrypt user',
  'vault delete': 'delete file, vault rm',
  'vault download': 'download, get document, file download',
  'vault get': 'vault show, kv get, vault read, vault ls',
  'vault set': 'vault write, vault put',
  'vault upload': 'upload, upload file, attach document, file upload',
  'webhooks create': 'webhook add, hook create, create endpoint, create webhook',
  'webhooks deliveries': 'delivery list, webhook log',
  'webhooks delete': 'delete webhook, hook rm, remove webhook',
  'webhooks events': 'events list, list events',
  'webhooks list': 'webhook, hooks, endpoints, subscriptions, list webhooks',
  'webhooks listen': 'listen, hook listen',
  'webhooks resend': 'resend, redeliver, events resend, retry delivery',
  'webhooks secret': 'secret show',
  'webhooks secret --rotate': 'rotate webhook secret, secret rotate',
  'webhooks trigger': 'trigger, event trigger, test webhook, emit event, ping webhook',
  'webhooks verify': 'verify signature, verify webhook',
};

describe('guesses', () => {
  const guesses = Object.entries(EXPECTED).flatMap(([command, lines]) =>
    split(lines).map((line) => [line, command] as const),
  );

  test('guesses: none is a command', () => {
    expect(guesses.filter(([line]) => names.includes(line))).toEqual([]);
  });

  test('guesses: each of the table, and each thing alone, leads to its commands in their order', () => {
    const alone = THINGS.flatMap((thing) => (thing.alone === undefined ? [] : [[thing.words, thing.alone]]));
    const wanted = new Map<string, string>();
    for (const [lines = '', commands = ''] of [...alone, ...Object.entries(GUESSES)])
      for (const line of split(lines)) wanted.set(line, commands);
    for (const [line, commands] of wanted) expect(suggested(line), line).toEqual(split(commands));
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
