/**
 * `npm run bench` measures the cost of encryption, validation and logging, as ratios to a bare program in the same run.
 * Both sides take turns and each keeps its best round, so that other work of the machine affects both alike. Options:
 * --quick (shorter rounds, 10,000 users in place of 100,000), --only PART, --sizes 1,5 for `many`
 * (test/bench/options.ts).
 */
import '../../src/devtools/gone-reader.ts';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { endForOption } from '../../src/devtools/script-options.ts';
import { countBytes, countFrames, timeFirstRow, timeKeys } from './inspect.ts';
import { aLink, anImport } from './banks.ts';
import { caller, took } from './calls.ts';
import { aCrowd, median, timeDuplicates, type Crowd } from './crowds.ts';
import { post, startReceiver, timeReceipt, triggering } from './deliveries.ts';
import { createEmptyUsers, downloadTogether, downloadTokens, uploadTogether } from './files.ts';
import {
  baselinePath,
  CONNECTIONS,
  createUsers,
  decryptUsers,
  forwardAbout,
  kyclonePath,
  someUsers,
  type Load,
} from './load.ts';
import { timeDrivers } from './drivers.ts';
import { timeOneByOne } from './latency.ts';
import { benchOptions, type AskedFor, type BenchOptions } from './options.ts';
import { SHARED_CONNECTIONS, timeBare, timeSideBySide, timeTenants } from './many.ts';
import { timePaints } from './pages.ts';
import { timeReads } from './reads.ts';
import { timeSearches } from './searches.ts';
import { timeStalls, type Stall } from './stalls.ts';
import { timeStandstills } from './standstills.ts';
import { timeTesting } from './testing.ts';
import {
  aHome,
  newHome,
  CLI,
  cleanEnvironment,
  growthMiB,
  residentMiB,
  startBare,
  startKyclone,
  timeReady,
  timeRun,
  type Server,
} from './processes.ts';

import { timeDiff, timeReset, timeSnapshots } from './snapshots.ts';

const options = askedFor();
const ROUNDS = options.isQuick ? 2 : 5;
const SECONDS = options.isQuick ? 2 : 5;
const RUNS = options.isQuick ? 10 : 30;
const MANY = options.isQuick ? 10_000 : 100_000;
const FEW = 1_000;
/** For this number of users the first search must take less than half a second. */
const SOME = 10_000;
const FILES = 10;
const FILE_BYTES = 10 * 1024 * 1024;
const FAR_PAGE = 400;
const PAGE_SIZE = 100;
const IMPORTS = options.isQuick ? 5 : 20;
const ASKED = options.isQuick ? 300 : 1_000;
/** The most duplicates that an answer about one user holds: the limit of the endpoint. */
const DUPLICATES_LIMIT = 100;

function askedFor(): BenchOptions {
  try {
    return benchOptions();
  } catch (error) {
    endForOption('bench', error);
    process.exit();
  }
}

const say = (text = '') => void process.stdout.write(`${text}\n`);

function line(name: string, measured: string, target = ''): void {
  say(`${name.padEnd(46)} ${measured.padEnd(44)} ${target}`);
}

const best = (loads: readonly Load[]): Load =>
  loads.reduce((one, other) => (other.perSecond > one.perSecond ? other : one));
const perSecond = (load: Pick<Load, 'perSecond'>) => `${Math.round(load.perSecond)}/s`;
/** The ratio of two times, and one of them in milliseconds. */
const over = (own: number, bare: number, digits = 0) =>
  `${(own / bare).toFixed(2)} x  (${own.toFixed(digits)} ms)`;
/** The ratio of two times, and both in milliseconds. */
const overBoth = (own: number, bare: number, digits = 2) =>
  `${(own / bare).toFixed(2)} x  (${own.toFixed(digits)} ms over ${bare.toFixed(digits)} ms)`;

/** Measures all sides in turn. Returns the median milliseconds of each. */
async function medians<Side extends string>(
  rounds: number,
  sides: Readonly<Record<Side, (round: number) => number | Promise<number>>>,
): Promise<Record<Side, number>> {
  const names = Object.keys(sides) as Side[];
  const times = names.map((name) => ({ name, all: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { name, all } of times) all.push(await sides[name](round));
  }
  return Object.fromEntries(times.map(({ name, all }) => [name, median(all)])) as Record<Side, number>;
}

async function throughput(): Promise<void> {
  say(`\nThroughput, durable, ${CONNECTIONS} connections, best of ${ROUNDS} rounds of ${SECONDS} s each`);
  await using ours = await startKyclone();
  await using bare = await startBare('baseline-server');
  const created = await alternate(
    () => createUsers(bare, { duration: SECONDS }),
    () => createUsers(ours, { duration: SECONDS }),
  );
  compare('create a user of 10 fields', created, 'at least 1.0');
  const [oursIds, bareIds] = [await someUsers(ours, FEW), await someUsers(bare, FEW)];
  const decrypted = await alternate(
    () => decryptUsers(bare, { duration: SECONDS }, bareIds, baselinePath),
    () => decryptUsers(ours, { duration: SECONDS }, oursIds, kyclonePath),
  );
  compare('decrypt 3 fields and log it', decrypted, 'at least 0.42');
}

/** The bare program has no kyc runs. A run is compared with its creation of a user, which commits as durably. */
async function latency(): Promise<void> {
  say(`\nOne connection, durable, p50 of ${ASKED} requests each that take turns`);
  await using ours = await startKyclone();
  await using bare = await startBare('baseline-server');
  await timeOneByOne({ ours, bare }, ASKED);
  const times = await timeOneByOne({ ours, bare }, ASKED);
  const micros = (ms: readonly number[]) => median(ms) * 1_000;
  const compareTo = (name: string, own: readonly number[], plain: readonly number[]) => {
    const [one, other] = [micros(own), micros(plain)];
    line(name, `${(one / other).toFixed(2)} x  (${one.toFixed(0)} us over ${other.toFixed(0)} us)`);
  };
  compareTo('create a user of 10 fields', times.ours.create, times.bare.create);
  compareTo('decrypt 3 fields and log it, over a bare read', times.ours.read, times.bare.read);
  // A decryption waits for a commit, which a bare read doesn't.
  compareTo('decrypt 3 fields and log it, over a bare one', times.ours.read, times.bare.logged);
  compareTo('decrypt 3 fields and log it, over a bare creation', times.ours.read, times.bare.create);
  compareTo('a bare read that is logged, over one that is not', times.bare.logged, times.bare.read);
  compareTo('kyc run, over a bare creation', times.ours.run, times.bare.create);
}

/**
 * The bare program keeps its connections open. Our proxy opens a connection for each request, after it has checked the
 * address.
 */
async function proxy(): Promise<void> {
  say(`\nVault proxy, durable, ${CONNECTIONS} connections, best of ${ROUNDS} rounds of ${SECONDS} s each`);
  await using ours = await startKyclone();
  await using bare = await startBare('baseline-forwarder');
  await using target = await startBare('proxy-target');
  const ids = await someUsers(ours, FEW);
  const to = (path: string) => ({ ids, target: target.url, path });
  const forwarded = await alternate(
    () => forwardAbout(bare, { duration: SECONDS }, to('/')),
    () => forwardAbout(ours, { duration: SECONDS }, to('/vault_proxy/jit')),
  );
  compare('3 tokens resolved, logged and sent', forwarded, '', 'none failed');
}

/**
 * Measures from the call that triggers an event until its receiver has it. The event is stored and signed in between.
 */
async function webhooks(): Promise<void> {
  say(`\nWebhooks, durable, medians of ${ASKED} events that take turns, one at a time`);
  using folder = aHome();
  const home = folder.path;
  await using ours = await startKyclone(home);
  await using receiver = await startReceiver();
  const trigger = await triggering(ours, home, receiver);
  const body = JSON.stringify({ event_kind: 'service.onboarding.completed' });
  const { bare, own } = await medians(ASKED, {
    bare: () => timeReceipt(receiver, () => post(receiver.url, {}, body)),
    own: () => timeReceipt(receiver, trigger),
  });
  line('trigger to receiver, over a plain POST', over(own, bare, 2));
}

/**
 * Compares a page far down a list with the first page, and an import of the largest size with storing the same rows
 * bare.
 */
async function banks(): Promise<void> {
  say(`\nBank links, durable, medians of ${ASKED} pages and ${IMPORTS} imports that take turns`);
  using folder = aHome();
  const home = folder.path;
  await using ours = await startKyclone(home);
  await using bare = await startBare('baseline-server');
  const [ask, askBare] = [caller(ours, home), caller(bare)];
  const large = await aLink(ask, 'large');
  const timePage = (page: number) =>
    took(async () => {
      const path = `/bank_links/${large.id}/transactions?page=${page}&size=${PAGE_SIZE}`;
      const { length } = ((await ask('GET', path)) as { transactions: unknown[] }).transactions;
      if (length !== PAGE_SIZE) throw new Error(`page ${page} holds ${length}`);
    });
  const { first, far } = await medians(ASKED, { first: () => timePage(1), far: () => timePage(FAR_PAGE) });
  line(`page ${FAR_PAGE} of 50,000 transactions over page 1`, overBoth(far, first), 'at most 2');
  const small = await aLink(ask, 'empty');
  const { plain, own } = await medians(IMPORTS, {
    plain: (round) => {
      const body = anImport(small.account, round);
      return took(() => askBare('POST', '/import', body));
    },
    own: (round) => {
      const body = anImport(small.account, round);
      return took(() => ask('POST', `/bank_links/${small.id}/import/transactions`, body));
    },
  });
  line('import of 4,000 transactions, over bare rows', over(own, plain), 'far inside 10 s');
  for (const each of [ask, askBare]) each.end();
}

interface Sides {
  readonly bare: readonly Load[];
  readonly ours: readonly Load[];
}

async function alternate(bare: () => Promise<Load>, ours: () => Promise<Load>): Promise<Sides> {
  const sides: { bare: Load[]; ours: Load[] } = { bare: [], ours: [] };
  for (let round = 0; round < ROUNDS; round++) {
    sides.bare.push(await bare());
    sides.ours.push(await ours());
  }
  return sides;
}

const LATENCY_TARGET = 'p99 under 100 ms, none failed';

function compare(name: string, sides: Sides, target: string, latencyTarget = LATENCY_TARGET): void {
  const [bare, ours] = [best(sides.bare), best(sides.ours)];
  const failures = sides.ours.reduce((sum, load) => sum + load.failures, 0);
  const ratio = (ours.perSecond / bare.perSecond).toFixed(2);
  line(name, `${ratio} x  (${perSecond(ours)} of ${perSecond(bare)})`, target);
  line('', `p50 ${ours.p50} ms, p99 ${ours.p99} ms, ${failures} failed`, latencyTarget);
}

async function startup(): Promise<void> {
  say(`\nStarts, over \`node -e 0\`, medians of ${RUNS} runs that take turns`);
  using folder = aHome();
  const home = folder.path;
  const env = cleanEnvironment({ KYCLONE_HOME: home });
  try {
    timeRun([CLI, 'start', '-d', '--port', '0'], env);
    const created = JSON.parse(
      runCli(['users', 'create', 'id.first_name=Piper', 'id.last_name=Quimby', '--json'], env),
    ) as { id: string };
    const times = await medians(RUNS, {
      node: () => timeRun(['-e', '0'], env),
      version: () => timeRun([CLI, '--version'], env),
      get: () => timeRun([CLI, 'vault', 'get', created.id], env),
      ready: () => timeReady(home, ['--instance', 'bench-memory', '--ephemeral']),
      durable: () => timeReady(home, ['--instance', 'bench-disk']),
    });
    line('node -e 0', `1 x  (${times.node.toFixed(0)} ms)`);
    line('kyclone --version', over(times.version, times.node), 'at most 1.8');
    line('kyclone vault get, daemon running', over(times.get, times.node), 'at most 3.6');
    line('daemon, start to ready, in memory', over(times.ready, times.node), 'at most 7');
    line('daemon, start to ready, durable', over(times.durable, times.node), 'at most 7');
  } finally {
    timeRun([CLI, 'stop'], env);
  }
}

function runCli(args: readonly string[], env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], { env, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`kyclone ${args.join(' ')} ended with ${status ?? 'a signal'}: ${stderr}`);
  return stdout;
}

async function snapshots(): Promise<void> {
  say('\nSnapshots and resets');
  await inNewHome(async (server, home) => {
    await createUsers(server, { amount: 10_000 });
    const { save, load } = await timeSnapshots(server, home);
    const parts = `${(save + load).toFixed(0)} ms  (${save.toFixed(0)} ms and ${load.toFixed(0)} ms)`;
    line('saving and loading 10,000 users', parts, 'under 150');
  });
  await resets('reset of 100 users, in memory', ['--ephemeral']);
  await resets('reset of 100 users, durable', []);
}

/** Measures how long a comparison with many users takes, and how long other requests wait during it. */
async function diffs(): Promise<void> {
  say(`\nDifferences of a snapshot of ${MANY} users and the state of now`);
  for (const [name, ways] of [
    ['durable', []],
    ['in memory', ['--ephemeral']],
  ] as const) {
    await inNewHome(async (server, home) => {
      await createUsers(server, { amount: MANY });
      stallLines(`comparing, ${name}`, await timeDiff(server, home), 'under 2,000');
    }, ways);
  }
}

/** Measures on a pseudo-terminal of 120x40. The times include the requests to the daemon. */
async function inspect(): Promise<void> {
  const runs = options.isQuick ? 5 : 15;
  say(`\nkyclone inspect, 10,000 users, medians of ${runs} starts and of 60 keys`);
  await inNewHome(async (server, home) => {
    await createUsers(server, { amount: 10_000 });
    const env = cleanEnvironment({ KYCLONE_HOME: home });
    const { bare, first } = await medians(runs, {
      bare: () => timeRun(['-e', '0'], env),
      first: () => timeFirstRow(home),
    });
    line('start to the first row, over node -e 0', over(first, bare), 'under 700 ms');
    line('a key to its frame', `${median(await timeKeys(home)).toFixed(1)} ms`, 'under 50 ms');
    const { idle, busyPerSecond, written } = await countFrames(home, server);
    line('frames in 3 s in which nothing happens', String(idle), 'none');
    const frames = `${busyPerSecond.toFixed(1)}/s  (${written} users created)`;
    line('frames while another client writes', frames, 'at most 1/s');
    const bytes = await countBytes(home, server);
    line('bytes a second while another creates 5 users', `${Math.round(bytes)} B/s`, 'under 2,048');
  });
}

async function resets(name: string, options: readonly string[]): Promise<void> {
  await inNewHome(async (server, home) => {
    const taken = await timeReset(server, home, () => createUsers(server, { amount: 100 }));
    line(name, `${taken.toFixed(1)} ms`, 'under 10');
  }, options);
}

async function memory(): Promise<void> {
  say('\nResident memory of the daemon');
  await using ours = await startKyclone();
  await using bare = await startBare('baseline-server');
  await pause(1_000);
  // The kernel decides how much of Node's own file is resident, so the figure needs the bare program's for
  // comparison.
  const show = (name: string, { pid }: Server, target = '') =>
    line(name, `${residentMiB(pid).toFixed(1)} MiB`, target);
  show('the bare program, one second after the start', bare);
  show('one second after the start', ours, 'at most 60');
  // V8 gives back what a start needed once nothing has happened for eight seconds.
  await pause(11_000);
  show('the bare program, idle for twelve seconds', bare);
  await bare.stop();
  show('idle for twelve seconds', ours, 'at most 60');
  const ids = await someUsers(ours, 10_000);
  await decryptUsers(ours, { duration: SECONDS }, ids, kyclonePath);
  line(`after 10,000 creations and ${SECONDS} s of decryptions`, `${residentMiB(ours.pid).toFixed(1)} MiB`);
  await memoryOfFiles();
}

/** Measures a run of the shortest command with a new instance: it starts, is called, stops and is removed. */
async function exec(): Promise<void> {
  say(`\nkyclone exec, medians of ${RUNS} runs that take turns`);
  using folder = aHome();
  const home = folder.path;
  const env = cleanEnvironment({ KYCLONE_HOME: home });
  const { bare, own } = await medians(RUNS, {
    bare: () => timeRun(['-e', '0'], env),
    own: () => timeRun([CLI, 'exec', '--', 'true'], env),
  });
  line('kyclone exec -- true, over node -e 0', overBoth(own, bare, 0));
}

/**
 * Measures uploads and downloads in a new daemon each, because memory that a daemon already holds would not be
 * allocated again.
 */
async function memoryOfFiles(): Promise<void> {
  using folder = aHome();
  const home = folder.path;
  const tokens = await serving(home, async (server) => {
    const users = await createEmptyUsers(server, FILES);
    await growth('uploads', server, () => uploadTogether(server, users, FILE_BYTES));
    return downloadTokens(server, users);
  });
  await serving(home, (server) =>
    growth('downloads', server, () => downloadTogether(server, tokens, FILE_BYTES)),
  );
}

async function growth(what: string, server: Server, work: () => Promise<void>): Promise<void> {
  const taken = await growthMiB(server.pid, work);
  line(`${FILES} ${what} of 10 MiB at once, beyond idle`, `${taken.toFixed(1)} MiB`, 'under 60');
}

async function serving<T>(
  home: string,
  work: (server: Server) => Promise<T>,
  options: readonly string[] = [],
): Promise<T> {
  await using server = await startKyclone(home, options);
  await pause(1_000);
  return await work(server);
}

async function inNewHome<T>(
  work: (server: Server, home: string) => Promise<T>,
  options: readonly string[] = [],
): Promise<T> {
  using folder = aHome();
  return await serving(folder.path, (server) => work(server, folder.path), options);
}

/** Made when the first part needs it. Filling the large store takes longer than all measurements. */
let made: Promise<{ few: Crowd; many: Crowd }> | undefined;
const crowded: { server: Server; home: string }[] = [];

async function fill(): Promise<{ few: Crowd; many: Crowd }> {
  return { few: await crowd(FEW), many: await crowd(MANY) };
}

async function crowd(users: number): Promise<Crowd> {
  const home = newHome();
  const server = await startKyclone(home);
  crowded.push({ server, home });
  return await aCrowd({ server, home }, users);
}

/** Compares the latency of decryptions in a small and a large store. */
async function scale(): Promise<void> {
  say(`\nDecrypt latency, ${FEW} and ${MANY} users`);
  const { few, many } = await (made ??= fill());
  const [small, large]: [Load[], Load[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    small.push(await decryptUsers(few.server, { duration: SECONDS }, few.ids, kyclonePath));
    large.push(await decryptUsers(many.server, { duration: SECONDS }, many.ids, kyclonePath));
  }
  const [one, other] = [best(small), best(large)];
  const mean = (load: Load) => (CONNECTIONS / load.perSecond) * 1000;
  line(`${FEW} users`, `p50 ${one.p50} ms, p99 ${one.p99} ms, mean ${mean(one).toFixed(2)} ms`);
  line(`${MANY} users`, `p50 ${other.p50} ms, p99 ${other.p99} ms, mean ${mean(other).toFixed(2)} ms`);
  line('mean, many over few', `${(mean(other) / mean(one)).toFixed(2)} x`, 'at most 1.3');
}

async function duplicates(): Promise<void> {
  say(`\nDuplicates of a user, ${FEW} and ${MANY} users, medians of ${ASKED} requests that take turns`);
  const { few, many } = await (made ??= fill());
  const kinds = [
    { name: 'who has three', who: 'relatives', records: 3 },
    { name: 'who has the name and birthday of half of all', who: 'namesakes', records: DUPLICATES_LIMIT },
  ] as const;
  for (const { name, who, records } of kinds) {
    const times = await timeDuplicates([few, many], { who, records, requests: ASKED });
    const [one = NaN, other = NaN] = times;
    line(name, overBoth(other, one), 'at most 1.5');
  }
}

/** Prints one line for each reading endpoint of the contract, and for each different query of it. */
async function reads(): Promise<void> {
  const requests = options.isQuick ? 50 : 200;
  say(`\nReading endpoints, ${MANY} users over ${FEW}, p50 of ${requests} requests that take turns`);
  const { few, many } = await (made ??= fill());
  for await (const { name, p50 } of timeReads([few, many], requests)) {
    const [one = NaN, other = NaN] = p50;
    line(name, overBoth(other, one), 'at most 2');
  }
}

/** Runs before `reads`, which searches too, because this part measures the first search of a store. */
async function searches(): Promise<void> {
  const requests = options.isQuick ? 60 : 300;
  const { many } = await (made ??= fill());
  for (const { users, store } of [
    { users: SOME, store: await crowd(SOME) },
    { users: MANY, store: many },
  ]) {
    say(`\nSearch for people by a part of what is known of them, ${users} users`);
    const { byName, byAll, later } = await timeSearches(store, requests);
    const seconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`;
    line('the first, by a name', seconds(byName), users === MANY ? 'under 4 s' : 'under 0.5 s');
    line('the first by each part', seconds(byAll));
    line(
      'later ones',
      `p50 ${median(later).toFixed(1)} ms, longest ${Math.max(...later).toFixed(1)} ms`,
      'under 50 ms',
    );
  }
}

function stallLines(name: string, { took, wait }: Omit<Stall, 'name'>, target = ''): void {
  line(name, `${took.toFixed(0)} ms`, target);
  line('the longest wait of others meanwhile', `${wait.toFixed(0)} ms`, 'under 50');
}

/** The last part that uses the large store, because it resets the store and loads it again. */
async function stalls(): Promise<void> {
  say(`\nWhat takes long, durable, ${MANY} users, and the longest wait of another client meanwhile`);
  const { many } = await (made ??= fill());
  for (const stall of await timeStalls(many)) {
    stallLines(stall.name, stall, stall.name === 'a reset' ? 'under 1,000' : '');
  }
}

async function standstills(): Promise<void> {
  say('\nRequests about much of one kind, durable, and the longest wait of another client meanwhile');
  for await (const stall of timeStandstills(inNewHome, options.isQuick ? 0.1 : 1)) {
    stallLines(stall.name, stall);
  }
}

/** Measures the time that a test file needs: the import once, and each instance. */
function testing(): void {
  say(`\nkyclone/testing, medians of ${RUNS} processes`);
  const runs = Array.from({ length: RUNS }, timeTesting);
  const of = (name: keyof (typeof runs)[number]) => median(runs.map((run) => run[name]));
  const overBare = (name: keyof (typeof runs)[number]) => over(of(name), of('bare'), 1);
  line('a bare node:http server with SQLite in memory', `1 x  (${of('bare').toFixed(1)} ms)`);
  line('import', overBare('imported'));
  line('ready after the import', overBare('ready'), 'under 50 ms');
  line('ready, the next one in the process', overBare('next'));
  line('closed', overBare('closed'));
}

/** The bare side is an empty page of a bare server. It shows the time that the browser itself takes. */
async function pages(): Promise<void> {
  say(`\nThe page of a hosted flow, a warm daemon, medians of ${RUNS} visits that take turns`);
  await using ours = await startKyclone();
  const times = await timePaints(ours, RUNS);
  if (!times) {
    say('No Chromium: not measured');
    return;
  }
  const bare = median(times.bare.first);
  line('an empty page, first paint', `1 x  (${bare.toFixed(0)} ms)`);
  line('first paint', over(median(times.ours.first), bare), 'under 150 ms');
  line('the first step with its form', over(median(times.ours.whole), bare));
}

function drivers(): void {
  say(
    `\nnode:sqlite over the package for older Nodes, Node ${process.versions.node}, medians of ${RUNS} rounds by turns`,
  );
  for (const { name, node, packaged } of timeDrivers(RUNS)) {
    const rates = `(${Math.round(node)}/s over ${Math.round(packaged)}/s)`;
    line(name, `${(node / packaged).toFixed(2)} x  ${rates}`, 'at least 0.9');
  }
}

/** Each size ends by itself. On a slow machine larger ones are left out once the part has taken this long. */
const MANY_MINUTES = 4;

async function many(): Promise<void> {
  say(`\nInstances side by side, in memory, creating users of 10 fields for ${SECONDS} s`);
  const until = performance.now() + MANY_MINUTES * 60_000;
  async function eachSize(work: (size: number) => Promise<void>): Promise<void> {
    for (const size of options.sizes) {
      if (performance.now() < until) await work(size);
      else say(`${size}: left out, after ${MANY_MINUTES} minutes`);
    }
  }
  const node = median(Array.from({ length: RUNS }, () => timeRun(['-e', '0'], cleanEnvironment())));
  const bare = await timeBare(SHARED_CONNECTIONS, SECONDS);
  line('node -e 0', `1 x  (${node.toFixed(0)} ms)`);
  line('one bare program', `1 x  (${bare.memory.toFixed(1)} MiB, ${perSecond(bare)})`);
  await eachSize(async (size) => {
    const { start, memory, failures, ...sum } = await timeSideBySide(size, SECONDS);
    line(`${size}: all ready, over node -e 0`, `${(start / node).toFixed(1)} x  (${start.toFixed(0)} ms)`);
    const each = `${(memory / bare.memory).toFixed(2)} x  (${memory.toFixed(1)} MiB)`;
    line(`${size}: memory of each, over the bare program`, each);
    const rate = `${(sum.perSecond / bare.perSecond).toFixed(2)} x  (${perSecond(sum)}, ${failures} failed)`;
    line(`${size}: requests in sum, over the bare program`, rate, 'none failed');
  });
  say(`\nOne durable instance, a client for each tenant, creating users of 10 fields for ${SECONDS} s`);
  await eachSize(async (size) => {
    const plain = await timeBare(size, SECONDS);
    const { fairness, failures, ...sum } = await timeTenants(size, SECONDS);
    const rate = `${(sum.perSecond / plain.perSecond).toFixed(2)} x  (${perSecond(sum)} of ${perSecond(plain)}, ${failures} failed)`;
    line(`${size}: requests in sum, over the bare program`, rate, 'none failed');
    const slowest = `${fairness.toFixed(2)} x  (mean ${(sum.perSecond / size).toFixed(0)}/s)`;
    line(`${size}: the slowest tenant over the mean`, slowest, 'at least 0.8');
  });
}

const measures: Readonly<Record<AskedFor, () => void | Promise<void>>> = {
  startup,
  exec,
  throughput,
  latency,
  proxy,
  webhooks,
  banks,
  snapshots,
  diffs,
  inspect,
  testing,
  pages,
  memory,
  scale,
  duplicates,
  searches,
  reads,
  stalls,
  standstills,
  drivers,
  many,
};
try {
  for (const part of options.parts) await measures[part]();
} finally {
  await Promise.all(crowded.map(({ server }) => server.stop()));
  for (const { home } of crowded) rmSync(home, { recursive: true, force: true });
}
