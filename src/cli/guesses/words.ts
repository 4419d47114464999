/**
 * The words by which people guess commands, and the commands that they lead to: one long table, because it is data.
 * Lists are separated by commas. Plural and singular are the same, and so are `access-log` and `access log`. A test
 * checks that every suggestion exists.
 */

import type { ID_PREFIX } from '../../kernel/ids/ids.ts';

/** Words for an act, with the verbs of the command line in order of preference. */
export const VERBS: readonly { readonly words: string; readonly means: string }[] = [
  { words: 'list, ls, ll, index, enumerate, dir', means: 'list, get, status' },
  {
    words:
      'get, show, view, describe, display, see, read, cat, print, details, inspect, fetch, retrieve, info',
    means: 'get, list, status, print',
  },
  {
    words:
      'create, add, new, make, insert, register, mint, issue, define, provision, gen, generate, post, enroll',
    means: 'create, set, start, install',
  },
  {
    words: 'update, edit, change, modify, alter, patch, amend, configure, replace, adjust, upsert',
    means: 'update, set',
  },
  {
    words:
      'delete, rm, remove, del, destroy, erase, drop, revoke, unregister, discard, trash, unset, shred, forget',
    means: 'delete, uninstall',
  },
  { words: 'clear, wipe, flush, purge, truncate, nuke, empty, prune, clean', means: 'clear, reset, delete' },
  { words: 'search, find, lookup, query, grep, filter, locate', means: 'search, list, get, catalogue' },
  {
    words: 'run, execute, exec, perform, do, play, process, launch, call, invoke',
    means: 'run, send, trigger',
  },
  { words: 'start, begin, boot, up, serve', means: 'start, run' },
  { words: 'open, browse', means: 'open, get, start' },
  { words: 'stop, end, finish, halt, down, kill, shutdown, quit, exit, terminate', means: 'stop, complete' },
  { words: 'restart, reload, reboot, bounce', means: 'restart' },
  { words: 'status, health, stat', means: 'status, get, list' },
  { words: 'watch, tail, follow, stream, monitor, listen, subscribe', means: 'watch, tail, listen' },
  { words: 'verify, check, validate, confirm, lint', means: 'verify, check, validate' },
  { words: 'save, take, write, store, put, set', means: 'write, set, create, update' },
  { words: 'load, restore, import, apply, rollback, revert, recover', means: 'load, import' },
  { words: 'export, dump, backup', means: 'export' },
  { words: 'send, fire, emit, dispatch, publish, trigger', means: 'send, trigger' },
  { words: 'resend, replay, retry, redeliver, rerun', means: 'resend, replay' },
  { words: 'rotate, roll, renew, regenerate, rekey', means: 'rotate' },
  { words: 'refresh, sync', means: 'refresh' },
  { words: 'reset', means: 'reset, clear' },
  { words: 'diff, compare', means: 'diff, compare' },
  {
    words: 'approve, reject, decline, deny, accept, decide, override, resolve, dismiss',
    means: 'decide, resolve',
  },
  { words: 'decrypt, reveal, unmask, detokenize, decode, uncover, plaintext', means: 'decrypt' },
  { words: 'encrypt, tokenize, protect', means: 'write, set' },
  { words: 'upload, attach', means: 'upload, create' },
  { words: 'download, save', means: 'download, get' },
  { words: 'link, connect, reconnect', means: 'link, create' },
  { words: 'unlink, disconnect, detach', means: 'unlink, delete' },
  { words: 'enable, activate', means: 'enable' },
  { words: 'disable, deactivate', means: 'disable' },
  { words: 'freeze, pause, suspend', means: 'freeze' },
  { words: 'resume, unfreeze, thaw, unpause, continue', means: 'resume' },
  { words: 'advance, forward, skip, step', means: 'advance' },
  { words: 'fake, mock, simulate, inject, dummy, test, sample, force', means: 'fake, trigger' },
  { words: 'help, man, usage', means: '--help' },
  { words: 'close, cancel, expire', means: 'close' },
  { words: 'rename, wait, use, switch, count, install, uninstall, setup, merge, copy', means: '' },
];

/** Verbs that hold for every kind of thing. Alone they mean users and businesses. */
export const GENERAL_VERBS = 'list, get, create, update, delete, clear, reset';

/** A thing that people have a word for. */
export interface Thing {
  readonly words: string;
  /** Its commands are those of these topics, but for `acts`. */
  readonly topics?: string;
  /** Suggestions by verb: the word that was typed, or what it means. */
  readonly acts?: Readonly<Record<string, string>>;
  /** Suggestions for the word alone. Default: list it, or get it when an argument follows. */
  readonly alone?: string;
}

const DECISION = 'decisions create';
const REVIEW = 'users list --review, businesses list --review';

/** Every topic is a thing by its own name, too. */
export const THINGS: readonly Thing[] = [
  {
    words:
      'user, person, people, human, individual, customer, client, consumer, applicant, member, contact, account holder, cardholder, end user, data subject, usr, cust',
    topics: 'users',
    acts: {
      update: 'users update, vault set',
      write: 'vault set',
      decrypt: 'vault decrypt',
      verify: 'users kyc, users verify',
      'check, run, screen, onboard': 'users kyc',
      decide: DECISION,
      review: `${REVIEW}, ${DECISION}`,
      fake: 'fake user',
      'generate, gen': 'fake user, users create',
      'import, seed': 'fixtures run, fake user',
      export: 'users list --json, snapshot create',
      clear: 'users delete, reset',
      report: 'users cip-report',
      'log, history, activity': 'users timeline',
      'disable, block, offboard': 'users label',
      'pass, fail, force': 'outcomes create, decisions create',
      'mask, redact': 'vault get',
      open: 'users get, inspect',
    },
  },
  {
    words:
      'business, company, firm, merchant, corporation, corp, enterprise, organisation, organization, org, biz, legal entity',
    topics: 'businesses',
    acts: {
      update: 'businesses update, vault set',
      write: 'vault set',
      decrypt: 'vault decrypt',
      verify: 'businesses kyb, businesses verify',
      'check, run, screen, onboard': 'businesses kyb',
      decide: DECISION,
      review: `businesses list --review, ${DECISION}`,
      fake: 'fake business',
      'generate, gen': 'fake business, businesses create',
      'import, seed': 'fixtures run, fake business',
      export: 'businesses list --json, snapshot create',
      'log, history, activity': 'businesses timeline',
      clear: 'businesses delete, reset',
      'disable, block, offboard': 'businesses label',
      'pass, fail, force': 'outcomes create, decisions create',
      'mask, redact': 'vault get',
      open: 'businesses get, inspect',
    },
  },
  { words: 'entity', topics: 'users, businesses' },
  {
    words: 'kyc, identity check, idv, identity verification, kyc check',
    acts: {
      'run, create, check': 'users kyc',
      list: 'onboardings list',
      get: 'onboardings get, onboardings list',
    },
    alone: 'users kyc',
  },
  {
    words: 'identity',
    acts: { 'run, check': 'users kyc', create: 'users create', get: 'users list' },
    alone: 'users list, users kyc',
  },
  {
    words: 'kyb, kyb check',
    acts: {
      'run, create, check': 'businesses kyb',
      list: 'onboardings list',
      get: 'onboardings get, onboardings list',
    },
    alone: 'businesses kyb',
  },
  {
    words: 'vault, data, datum, pii, kv, value, field, attribute, card, ssn',
    topics: 'vault',
    acts: {
      mask: 'vault get',
      create: 'vault set',
      open: 'vault decrypt',
      export: 'snapshot create, vault decrypt',
      load: 'snapshot load, vault set',
      rotate: 'keyring rotate',
      'status, unlock, unseal, lock': 'keyring status',
      search: 'users search',
      read: 'vault get, vault decrypt',
      reset: 'reset',
      fake: 'fake user',
    },
    alone: 'vault get',
  },
  {
    words: 'identifier, data identifier, field name',
    acts: { get: 'vault identifiers' },
    alone: 'vault identifiers',
  },
  {
    words: 'document, file, image, picture, photo, passport, selfie, attachment, scan',
    acts: {
      list: 'users documents, businesses documents',
      'create, write, import': 'vault upload',
      'get, export, decrypt': 'vault download',
      'delete, clear': 'vault delete',
      check: 'users kyc',
    },
    alone: 'users documents, businesses documents, vault upload',
  },
  {
    words: 'tag',
    acts: { 'get, create, write, delete, clear': 'users tag, businesses tag' },
    alone: 'users tag, businesses tag',
  },
  {
    words: 'label',
    acts: { 'get, create, update, write, delete, clear': 'users label, businesses label' },
    alone: 'users label, businesses label',
  },
  {
    words: 'owner, beneficial owner, ubo, shareholder, director',
    acts: { 'get, create, update, write, delete': 'businesses owners' },
    alone: 'businesses owners',
  },
  {
    words: 'timeline, activity',
    acts: { 'get, watch': 'users timeline, businesses timeline' },
    alone: 'users timeline, businesses timeline',
  },
  {
    words: 'history',
    acts: { get: 'users timeline, requests list', 'delete, clear': 'requests delete' },
    alone: 'users timeline, requests list',
  },
  {
    words: 'duplicate, dupe, dedupe',
    acts: { 'get, check, run': 'users duplicates' },
    alone: 'users duplicates',
  },
  {
    words: 'cip',
    acts: { 'send, start, create': 'users cip', 'get, report': 'users cip-report' },
    alone: 'users cip, users cip-report',
  },
  {
    words: 'cip report',
    acts: { 'get, create, run, export': 'users cip-report' },
    alone: 'users cip-report',
  },
  {
    words: 'token, client token, access token, vault token, scoped token',
    topics: 'tokens',
    acts: {
      'create, start, write, rotate, refresh': 'users token, businesses token',
      get: 'tokens list',
      verify: 'onboardings validate',
    },
    alone: 'tokens list, users token, businesses token',
  },
  {
    words: 'key, api key, apikey, access key, secret key, api token',
    topics: 'keys',
    acts: {
      'get, print': 'env, keys list',
      'rotate, refresh': 'keys create, keys delete',
      disable: 'keys delete',
    },
    alone: 'keys list, keys create',
  },
  { words: 'credential, control token', acts: { get: 'env', 'create, rotate': 'keys create' }, alone: 'env' },
  { words: 'tenant, workspace', acts: { get: 'keys list', create: 'keys create' }, alone: 'keys list' },
  {
    words: 'keyring, root key, vault key, master key, encryption key, keychain, kms',
    topics: 'keyring',
    acts: {
      'get, unlock, unseal': 'keyring status',
      create: 'keyring slots create',
      delete: 'keyring slots delete',
      update: 'keyring rotate',
    },
    alone: 'keyring status',
  },
  {
    words: 'slot, keyring slot',
    topics: 'keyring slots',
    acts: { get: 'keyring status' },
    alone: 'keyring status, keyring slots create',
  },
  {
    words: 'passphrase, password, recovery, recovery code, recovery key, key file',
    topics: 'keyring slots',
    acts: {
      get: 'keyring status',
      'update, write, rotate, reset': 'keyring slots create, keyring slots delete',
    },
    alone: 'keyring slots create',
  },
  {
    words: 'audit, access, access log, audit log, audit trail, accesslog, decryption',
    topics: 'audit',
    acts: { 'get, watch, export': 'audit list' },
  },
  {
    words: 'proxy, vault proxy',
    topics: 'proxy',
    acts: {
      'run, forward, post, request': 'proxy send',
      test: 'proxy render, proxy send',
      list: 'proxy configs list',
      get: 'proxy configs get',
      create: 'proxy configs create',
      update: 'proxy configs update',
      delete: 'proxy configs delete',
      'debug, trace': 'proxy explain',
      'preview, verify': 'proxy render',
    },
    alone: 'proxy send, proxy configs list',
  },
  {
    words: 'proxy config, proxy configuration, proxy target',
    topics: 'proxy configs',
    acts: {
      enable: 'proxy configs update --enable',
      disable: 'proxy configs update --disable',
      write: 'proxy configs create, proxy configs update',
      run: 'proxy send',
    },
  },
  {
    words: 'playbook, workflow, template, policy, journey, requirement',
    topics: 'playbooks',
    acts: { run: 'users kyc, businesses kyb', write: 'playbooks create, playbooks update' },
  },
  {
    words: 'onboarding, verification, inquiry, application',
    topics: 'onboardings',
    acts: {
      create: 'onboardings start, users kyc, businesses kyb',
      run: 'users kyc, businesses kyb',
      'wait, watch': 'onboardings get --wait',
      'write, update': 'onboardings resolve',
      'close, stop': 'onboardings complete, onboardings sessions delete',
      verify: 'onboardings get, onboardings validate',
      finish: 'onboardings complete',
    },
  },
  {
    words: 'session, hosted session, hosted flow, flow, hosted onboarding, onboarding session',
    topics: 'onboardings sessions',
    acts: {
      'create, start, open': 'onboardings start',
      'stop, close, clear': 'onboardings sessions delete',
      'complete, finish': 'onboardings complete',
      verify: 'onboardings validate',
    },
    alone: 'onboardings sessions list, onboardings start',
  },
  {
    words: 'hosted, hosted link, onboarding link, verification link, magic link',
    alone: 'onboardings start',
  },
  {
    words: 'outcome, outcome rule',
    topics: 'outcomes',
    acts: {
      'write, fake': 'outcomes create, outcomes update',
      enable: 'outcomes update --enable',
      disable: 'outcomes update --disable',
    },
  },
  {
    words: 'result',
    acts: { 'get, wait': 'onboardings get', 'create, write, fake, update': 'outcomes create' },
    alone: 'onboardings get, outcomes create',
  },
  { words: 'rule', topics: 'outcomes, faults' },
  {
    words: 'decision, manual decision, manual review, verdict',
    topics: 'decisions',
    acts: { get: 'decisions list', 'write, update, decide': DECISION },
  },
  {
    words: 'review, case, queue, review queue',
    acts: { get: REVIEW, 'create, decide, update, write, stop, close, start': DECISION },
    alone: REVIEW,
  },
  {
    words: 'risk signal, signal, risk, finding, flag, red flag, alert, fraud',
    topics: 'risk-signals',
    acts: { get: 'risk-signals list', search: 'risk-signals list, risk-signals catalogue' },
  },
  {
    words: 'reason code, catalog, catalogue',
    acts: { get: 'risk-signals catalogue' },
    alone: 'risk-signals catalogue',
  },
  {
    words: 'hit, watchlist, watchlist hit, sanction, pep, aml, adverse media, screening',
    acts: {
      'get, run, verify, create': 'risk-signals hits',
      'decide, review, update, clear, close, confirm': 'risk-signals review',
    },
    alone: 'risk-signals hits',
  },
  { words: 'note, comment, memo, remark, annotation', topics: 'notes', acts: { get: 'notes list' } },
  {
    words: 'bank, banking',
    topics: 'bank',
    acts: {
      list: 'bank links list',
      get: 'bank links get',
      create: 'bank link',
      delete: 'bank links delete',
      unlink: 'bank links reset, bank links delete',
      refresh: 'bank links refresh',
      advance: 'bank tick',
      reset: 'bank links reset',
    },
    alone: 'bank links list, bank link',
  },
  {
    words: 'bank link, bank connection, connection, link, linked bank, linked account',
    topics: 'bank links',
    acts: {
      'create, start, open': 'bank link',
      unlink: 'bank links reset, bank links delete',
      update: 'bank links refresh',
    },
    alone: 'bank links list, bank link',
  },
  { words: 'persona, bank persona, test bank', topics: 'bank personas' },
  {
    words: 'institution',
    acts: { get: 'bank personas list, bank link', create: 'bank link' },
    alone: 'bank personas list, bank link',
  },
  {
    words: 'account, acct, bank account, balance',
    acts: { get: 'bank accounts', create: 'bank link', refresh: 'bank links refresh' },
    alone: 'bank accounts',
  },
  {
    words: 'transaction, txn, bank transaction, transfer',
    acts: {
      'get, watch, export': 'bank transactions',
      'create, load, write': 'bank import',
      refresh: 'bank links refresh',
    },
    alone: 'bank transactions',
  },
  {
    words: 'statement, bank statement',
    acts: { 'create, load, write': 'bank import', get: 'bank transactions' },
    alone: 'bank import',
  },
  {
    words: 'investment, security, trade',
    acts: { get: 'bank investments' },
    alone: 'bank investments, bank holdings',
  },
  { words: 'holding, portfolio, position', acts: { get: 'bank holdings' }, alone: 'bank holdings' },
  {
    words:
      'webhook, hook, endpoint, webhook endpoint, subscription, callback, receiver, listener, notification',
    topics: 'webhooks',
    acts: {
      get: 'webhooks list',
      ping: 'webhooks trigger',
      'start, forward, tunnel': 'webhooks listen',
      enable: 'webhooks update --enable',
      'disable, freeze': 'webhooks update --disable',
      rotate: 'webhooks secret --rotate',
      write: 'webhooks create, webhooks update',
      subscribe: 'webhooks create',
      'log, history, status': 'webhooks deliveries',
      sign: 'webhooks secret',
    },
  },
  {
    words: 'event, webhook event',
    acts: {
      get: 'webhooks events',
      watch: 'webhooks listen, webhooks events',
      'create, trigger, run': 'webhooks trigger',
      resend: 'webhooks resend',
    },
    alone: 'webhooks events',
  },
  {
    words: 'kind, event kind, event type, webhook kind',
    acts: { get: 'webhooks kinds' },
    alone: 'webhooks kinds',
  },
  {
    words: 'delivery, webhook delivery, attempt',
    acts: { get: 'webhooks deliveries', resend: 'webhooks resend', watch: 'webhooks listen' },
    alone: 'webhooks deliveries',
  },
  {
    words: 'webhook secret, signing secret, signing key',
    acts: { 'get, create': 'webhooks secret', 'rotate, update, reset': 'webhooks secret --rotate' },
    alone: 'webhooks secret',
  },
  {
    words: 'secret',
    acts: {
      get: 'webhooks secret, env',
      'create, write': 'vault set, webhooks create',
      'rotate, update': 'webhooks secret --rotate',
      decrypt: 'vault decrypt',
      delete: 'vault delete',
    },
    alone: 'webhooks secret, env',
  },
  {
    words: 'signature, webhook signature, delivery signature',
    acts: { validate: 'webhooks verify' },
    alone: 'webhooks verify',
  },
  {
    words: 'partner, cip partner',
    topics: 'partner',
    acts: { 'run, start, listen': 'partner echo' },
    alone: 'partner echo',
  },
  {
    words: 'clock, time, date, timer',
    topics: 'clock',
    acts: {
      goto: 'clock set',
      'travel, jump, warp, move, machine': 'clock set, clock advance',
      stop: 'clock freeze',
      'run, clear': 'clock resume',
      'create, shift': 'clock advance, clock offset',
      tick: 'clock advance',
      'rewind, back': 'clock offset, clock set',
    },
    alone: 'clock get',
  },
  {
    words: 'snapshot, snap, backup, dump, checkpoint, savepoint, state, database, db',
    topics: 'snapshot',
    acts: {
      'export, write': 'snapshot create',
      'use, open': 'snapshot load',
      clear: 'reset',
      'seed, migrate': 'fixtures run',
      verify: 'doctor --deep',
    },
  },
  {
    words: 'fault, failure, fault rule, error injection',
    topics: 'faults',
    acts: {
      'write, fake, send, enable, start, cause': 'faults create',
      get: 'faults list',
      'stop, disable, reset': 'faults delete',
    },
  },
  {
    words: 'chaos, outage, latency, downtime, flaky, slow',
    acts: {
      'create, write, fake, run, enable': 'faults create',
      get: 'faults list, faults presets',
      'stop, disable, delete, clear': 'faults delete',
    },
    alone: 'faults create, faults presets',
  },
  {
    words: 'preset, fault preset',
    acts: { get: 'faults presets', 'run, write, load, create': 'faults create --preset' },
    alone: 'faults presets',
  },
  {
    words: 'request, journal, traffic, api call, request log, http request',
    topics: 'requests',
    acts: { export: 'requests list', 'send, create, run': 'api', 'debug, trace, explain': 'requests get' },
    alone: 'requests list',
  },
  {
    words: 'fixture, sample data, test data, seed data',
    topics: 'fixtures',
    acts: {
      'load, seed, start, create, fake': 'fixtures run',
      'generate, gen, record, write': 'record start',
    },
    alone: 'fixtures run',
  },
  {
    words: 'scenario',
    acts: { 'run, load, start': 'fixtures run, compare run', check: 'fixtures check' },
    alone: 'fixtures run, compare run',
  },
  {
    words: 'fake, faker, fake data',
    topics: 'fake',
    acts: { 'create, get, run': 'fake user, fake business' },
    alone: 'fake user, fake business',
  },
  {
    words: 'record, recording, capture',
    topics: 'record',
    acts: { 'write, export': 'record stop', get: 'record status' },
    alone: 'record start',
  },
  {
    words: 'compare, comparison, parity',
    topics: 'compare',
    acts: { create: 'compare run' },
    alone: 'compare run',
  },
  {
    words: 'completion, autocomplete, autocompletion, tab completion, shell completion, complete',
    topics: 'completion',
    acts: {
      'setup, enable': 'completion install',
      'bash, zsh, fish, powershell, pwsh, generate, export': 'completion print',
      disable: 'completion uninstall',
    },
    alone: 'completion install, completion print',
  },
  {
    words: 'config, cfg, configuration, setting, preference, pref, option, conf',
    topics: 'config',
    acts: {
      get: 'config get, config list',
      create: 'config set',
      reset: 'config delete',
      open: 'config list, config set',
    },
    alone: 'config list, config set',
  },
  {
    words: 'instance, daemon, server, service, emulator, process, container, sandbox',
    acts: {
      'get, check': 'status',
      'create, run, open': 'start',
      stop: 'stop',
      restart: 'restart',
      'delete, reset': 'reset, stop',
      'watch, log': 'logs --follow',
      wait: 'wait',
      'use, switch': 'env',
    },
    alone: 'status, start',
  },
  { words: 'log, daemon log, server log', acts: { get: 'logs', watch: 'logs --follow' }, alone: 'logs' },
  {
    words: 'env, environment, variable, environment variable, env var',
    acts: { 'get, export, use, switch': 'env', write: 'config set' },
    alone: 'env',
  },
  { words: 'url, address, base url, port', acts: { get: 'status, env' }, alone: 'status, env' },
  {
    words: 'doc, documentation, manual, reference, api doc, api reference, guide',
    acts: { get: 'docs' },
    alone: 'docs',
  },
  {
    words: 'openapi, swagger, spec, schema, api spec, openapi spec, openapi schema, api schema',
    acts: { 'get, create, export': 'api GET /_kyclone/openapi.json, docs' },
    alone: 'api GET /_kyclone/openapi.json, docs',
  },
  { words: 'error, error code, status code, code', acts: { get: 'errors' }, alone: 'errors' },
  {
    words: 'capability, command, feature, api resource',
    acts: { get: 'capabilities, --help' },
    alone: '--help, capabilities',
  },
  {
    words: 'mcp, mcp server, assistant, agent, ai',
    acts: { 'run, create, open, list': 'mcp' },
    alone: 'mcp',
  },
  {
    words: 'transform, transformation, transformer',
    acts: { get: 'transform --list', run: 'transform' },
    alone: 'transform',
  },
  { words: 'project, project file', acts: { 'create, start, init': 'init' }, alone: 'init' },
  {
    words: 'report, bug report, bugreport, support bundle, debug bundle, bundle',
    acts: { 'create, run, write, export': 'report' },
    alone: 'report',
  },
  {
    words:
      'ui, gui, dashboard, console, web console, explorer, admin, portal, studio, panel, web, web ui, browser, webui, site, website',
    acts: { 'start, run, get': 'console, inspect, docs', 'stop, delete': 'console' },
    alone: 'console, inspect, docs',
  },
  {
    words: 'tui, inspector, terminal ui, terminal, screen',
    acts: { 'start, run, get': 'inspect, console' },
    alone: 'inspect, console',
  },
  {
    words: 'demo, tour, tutorial, quickstart, example, walkthrough',
    acts: { 'run, start, get': 'demo' },
    alone: 'demo',
  },
];

/** Whole guesses, or their first words, that say more than their parts. */
export const GUESSES: Readonly<Record<string, string>> = {
  'ps, cluster info, whoami, who am i, me, info, state, metric, uptime, top, about instance': 'status',
  ls: 'status, users list',
  'version, v, about': '--version',
  'h, menu': '--help',
  browse: 'inspect, console, docs',
  'shell, repl': 'inspect',
  'login, log in, signin, sign in, auth, authenticate, auth login, use, switch, use context, context, profile':
    'env',
  'daemon, compose up': 'start',
  'shut down': 'stop',
  'rollout restart': 'restart',
  'run, execute, launch': 'start, exec',
  'setup, set up': 'init, start',
  configure: 'config set, init',
  test: 'exec, fixtures run',
  'health, healthz, healthcheck, health check, live, livez, liveness, alive, heartbeat': 'status, doctor',
  await: 'wait',
  'ready, readyz, readiness, ping': 'status, wait',
  'check, diagnose, diagnostic, diag, troubleshoot, selftest, self test, preflight': 'doctor',
  'fsck, check db, check database, integrity check': 'doctor --deep',
  'export, dump, backup, archive, save, take, stash, commit, checkpoint': 'snapshot create',
  'roll back, undo, checkout': 'snapshot load',
  'import, import file': 'snapshot load, bank import',
  'csv, csv import, import csv': 'bank import',
  'link token, create link token, public token, exchange token': 'bank link',
  'check list, list check': 'onboardings list',
  'check create, create check': 'users kyc',
  'seed, populate, bootstrap, db seed': 'fixtures run, fake user',
  apply: 'fixtures run',
  'faker, generate, gen, mock, dummy, sample': 'fake user, fake business',
  'wipe, clear, flush, purge, truncate, nuke, empty, prune, clean, erase, delete all, remove everything, remove all, delete everything, erase everything, destroy, factory reset, flushall, drop database, system prune':
    'reset',
  'travel, timetravel, warp, jump': 'clock set, clock advance',
  'fast forward, fastforward, forward time, next day': 'clock advance',
  now: 'clock get',
  tick: 'clock advance, bank tick',
  sleep: 'clock advance, wait',
  rewind: 'clock offset, clock set',
  'forward, tunnel, port forward': 'webhooks listen',
  replay: 'webhooks resend, compare replay',
  'tail, follow': 'requests tail, webhooks listen, logs --follow',
  'watch, monitor, stream': 'requests tail, webhooks listen',
  'rotate, roll, renew, regenerate': 'keyring rotate, webhooks secret --rotate',
  'rewrap, rotate root': 'keyring rotate',
  'who read': 'audit list',
  'egress, outbound, host, cors, origin, allow host': 'config set, config list',
  'unlock, unseal, operator unseal, seal status': 'keyring status',
  'encrypt, tokenize, store, put, write, kv put': 'vault set',
  set: 'vault set, config set',
  unset: 'config delete',
  read: 'vault get, vault decrypt',
  'mask, masked, redact, peek': 'vault get',
  'hash, hmac, fingerprint': 'vault integrity',
  'look up': 'users search, businesses search',
  'verify, confirm': 'users kyc, users verify, webhooks verify',
  'send, emit, fire, publish, dispatch': 'webhooks trigger, proxy send',
  print: 'env',
  dismiss: 'risk-signals review',
  'approve, reject, decline, deny, accept, decide, override': 'decisions create, onboardings resolve',
  'pass, fail, force': 'outcomes create, onboardings resolve',
  'pending, inbox, todo': 'users list --review, businesses list --review',
  'block, ban, offboard': 'users label, businesses label',
  onboard: 'users kyc, onboardings start',
  'signup, sign up, register, enroll': 'users create, onboardings start',
  screen: 'risk-signals hits',
  'complete, finish': 'onboardings complete, completion install',
  'cancel, close': 'onboardings sessions delete',
  link: 'bank link, onboardings start',
  'unlink, disconnect': 'bank links reset, bank links delete',
  pull: 'bank links refresh',
  'list run, get run, show run': 'onboardings list',
  sandbox: 'start, compare run',
  'curl, http, req, rest, raw, call, post, patch, invoke': 'api',
  request: 'api, requests list',
  diff: 'snapshot diff, compare run',
  'record session, record request, record traffic, record call': 'record start',
  'play, playback': 'fixtures run, compare replay',
  'bug, issue, support, feedback': 'report',
  'debug, trace': 'report, requests list',
  'simulate, inject, break': 'faults create, outcomes create',
  sign: 'webhooks secret',
  subscribe: 'webhooks create',
  'permission, scope, role, grant': 'keys create, keys list',
  'tutorial, learn, intro, getting started': 'demo, docs',
  update: 'users update, vault set',
};

/** Things by the prefixes of their ids. */
export const THINGS_OF_IDS: Readonly<Partial<Record<keyof typeof ID_PREFIX, string>>> = {
  user: 'user',
  business: 'business',
  apiKey: 'key',
  request: 'request',
  clientToken: 'token',
  onboarding: 'onboarding',
  onboardingSession: 'session',
  sandboxPlaybook: 'playbook',
  livePlaybook: 'playbook',
  outcomeRule: 'outcome',
  event: 'event',
  delivery: 'delivery',
  webhook: 'webhook',
  proxyConfiguration: 'proxy config',
  bankLink: 'bank link',
  fault: 'fault',
};

/** What to do where no command helps. */
export const ADVICE: Readonly<Record<string, string>> = {
  'upgrade, self update, self upgrade, update check, check update, install, uninstall':
    'npm installs, upgrades and removes kyclone',
};

/** Words without a meaning of their own. */
export const FILLERS =
  'a, an, the, all, my, this, of, for, in, from, to, with, by, on, please, now, kyclone, id, one';
