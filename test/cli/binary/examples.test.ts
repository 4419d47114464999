/**
 * Runs every example of the help with a real daemon. The first of each topic and all that need a shell run unchanged, in
 * a real shell with the real binary; the others are one plain call, which the built CLI makes inside this process.
 * Placeholders are replaced by the ids of existing things (example-world.ts); the commands come from the manifest.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'shell-quote';
import { describe, expect, test } from 'vitest';
import { instancePaths, pathBases } from '../../../src/kernel/files/paths.ts';
import '../../support/tier-all.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { cliOnPath } from '../../support/cli-on-path.ts';
import { cleanEnvironment, startDaemon, type TestDaemon } from '../../support/daemon.ts';
import { ask, ExampleWorld, writeExampleFiles } from '../../support/example-world.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { builtCommands } from '../../support/root.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { useDaemon } from '../../support/use-shared.ts';
import { startCli } from '../../support/running-cli.ts';

const commands = builtCommands();

/** These run until they are stopped; the test sends SIGINT once they have printed something. */
const ENDLESS = /^kyclone (?:logs -f|proxy echo|partner echo|webhooks listen|requests tail|start --instance)/;
/** These change the instance for good, so each has an instance of its own. */
const OWN_DAEMON = /^(?:start|stop|restart|reset|keyring|clock|snapshot|record|doctor|faults|demo|exec)\b/;

/** Examples that aren't run or end with another exit code than 0, by their beginning, each with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = { 'kyclone demo': 'run by demo.test.ts' };
const OTHER_CODES: Readonly<Record<string, readonly [code: number, why: string]>> = {
  'kyclone keyring slots create passphrase': [3, 'asks for the passphrase; there is no terminal here'],
  'kyclone inspect --once --user - < address.txt': [6, 'nobody has this address here'],
  'kyclone users search\n': [3, 'asks for the text'],
  'kyclone businesses search\n': [3, 'asks for the text'],
  'kyclone users verify FP_ID id.phone_number --reason': [3, 'asks for what was said'],
  'kyclone businesses verify fp_bid_7p793EF07xKXHqAeg5VGPj business.tin --reason': [
    3,
    'asks for what was said',
  ],
  'kyclone users verify FP_ID id.phone_number --also': [3, 'asks for what was said'],
  'kyclone businesses verify fp_bid_7p793EF07xKXHqAeg5VGPj business.tin --also': [
    3,
    'asks for what was said',
  ],
  'kyclone vault set FP_ID id.email=jane@example.com id.ssn9=?': [3, 'asks for the value'],
  'kyclone proxy send --target https://api.example.com': [1, 'there is no such host to be reached from here'],
  'kyclone proxy send --config': [1, 'its target is no host to be reached from here'],
  'kyclone proxy render --target https://api.example.com': [1, 'there is no such host'],
  'kyclone webhooks trigger onboarding.completed --bad-signature': [1, 'nobody is there to refuse it'],
  "kyclone webhooks verify --header 'webhook-id: ...'": [1, 'the signature is left out: it is not valid'],
};

const used = new Set<string>();
const known = <T>(table: Readonly<Record<string, T>>, example: string): T | undefined => {
  const text = `${example}\n`.replace(/fp_id_\w+/g, 'FP_ID');
  const key = Object.keys(table).find((beginning) => text.startsWith(beginning));
  if (key !== undefined) used.add(key);
  return key === undefined ? undefined : table[key];
};

/** Returns the command lines of an example. A line that ends with a colon only describes them. */
const script = (example: string) =>
  example
    .replaceAll('<%= config.bin %>', 'kyclone')
    .split('\n')
    .filter((line) => !line.endsWith(':'))
    .join('\n');

/** The words after `kyclone` of a script that is one plain call; undefined if it needs a shell. */
function plainCall(text: string): string[] | undefined {
  if (/[$`\n]/.test(text.trim())) return undefined;
  const [program, ...words] = parse(text.trim());
  const isPlain = program === 'kyclone' && words.every((word) => typeof word === 'string');
  return isPlain ? words : undefined;
}

const PRELUDE = `
trap : INT
scan() { printf '%%PDF-1.4'; }
`;
/** `source` is a command of bash and zsh; sh lacks it. */
const SOURCE = 'source() { cat > /dev/null; }\n';
/** The scripts of these examples need bash. */
const FOR_BASH = /--shell bash/;

interface Place {
  readonly home: string;
  readonly folder: string;
  readonly more?: Record<string, string>;
}

const PARTNER = { KYCLONE_PARTNER_API_KEY: 'key-value', KYCLONE_PARTNER_API_SECRET: 'secret-value' };
const STDIN = 'a secret\n';

const runHere = (words: readonly string[], { home, folder, more }: Place) =>
  runInProcess(words, { home, cwd: folder, environment: { ...PARTNER, ...more }, stdin: STDIN });

async function runScript(text: string, at: Place) {
  const [shell, words] = FOR_BASH.test(text) ? ['bash', text] : ['sh', SOURCE + text];
  const child = spawn(shell, ['-c', `${PRELUDE}${words}`], {
    cwd: at.folder,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: cleanEnvironment(at.home, { ...cliOnPath(at.home), ...PARTNER, ...at.more }),
  });
  const output = { stdout: '', stderr: '' };
  const interrupt = () => process.kill(-(child.pid ?? 0), 'SIGINT');
  let printed: () => void = () => undefined;
  const spoke = new Promise<void>((resolve) => (printed = resolve));
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      output[stream] += chunk;
      printed();
    });
  }
  child.stdin.on('error', () => undefined).end(STDIN);
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  if (ENDLESS.test(text)) {
    await Promise.race([spoke, ended]);
    interrupt();
  }
  return { code: await ended, ...output };
}

const shared = useDaemon();

/** Resets the daemon and deletes what earlier commands made. */
async function cleared(daemon: TestDaemon): Promise<TestDaemon> {
  await ask(daemon, 'POST', '/_kyclone/reset', {});
  for (const list of ['webhooks', 'playbooks', 'proxies'] as const) {
    const answer = (await ask(daemon, 'GET', `/_kyclone/${list}`)) as unknown;
    const things = Array.isArray(answer) ? answer : (answer as { data: unknown[] }).data;
    for (const { id, key } of things as { id?: string; key?: string }[]) {
      if (key?.includes('default') !== true)
        await ask(daemon, 'DELETE', `/_kyclone/${list}/${id ?? key ?? ''}`);
    }
  }
  return daemon;
}

const topics = new Set<string>();

/** True once for each topic, such as `users`. */
function isFirstOfTopic(id: string): boolean {
  const [topic = id] = id.split(':');
  if (topics.has(topic)) return false;
  topics.add(topic);
  return true;
}

async function runExamples(id: string, examples: readonly string[]): Promise<void> {
  using folder = tempDir();
  const isOwn = OWN_DAEMON.test(id);
  await using own = isOwn ? await startDaemon({ isDurable: true, home: folder.path }) : undefined;
  const daemon = own ?? (await cleared(shared()));
  try {
    for (const example of examples) {
      const text = script(example);
      if (known(NOT_RUN, text) !== undefined) continue;
      const world = new ExampleWorld(daemon);
      const session = /TOKEN|token\.txt/.test(text) ? await world.session() : '';
      const work = join(folder.path, 'work');
      writeExampleFiles(work, session);
      const ready = await PREPARED[id]?.({ daemon, work, world, home: daemon.home, text });
      const filled = (await world.filled(ready?.text ?? text)).replaceAll('/mnt/usb', work);
      // Another example has started it with other options.
      if (id === 'start') await runScript('kyclone stop', { home: daemon.home, folder: work });
      const place = { home: daemon.home, folder: work, more: { TOKEN: session, ...ready?.environment } };
      const isReal = isOwn || ENDLESS.test(text) || isFirstOfTopic(id);
      const words = isReal ? undefined : plainCall(filled);
      const outcome = await (words === undefined ? runScript(filled, place) : runHere(words, place));
      await ready?.end?.();
      const [code = 0] = known(OTHER_CODES, text) ?? [];
      const expected = ENDLESS.test(text) ? [0, 130] : [code];
      const where = 'ids are made in example-world.ts, codes other than 0 stand in OTHER_CODES';
      expect(outcome.code, `${filled}\n${JSON.stringify(outcome)}\n${where}`).toBeOneOf(expected);
      expect(`${outcome.stdout}${outcome.stderr}`).not.toContain('\u001b');
    }
  } finally {
    if (isOwn) {
      for (const name of ['default', 'staging'])
        await runScript(`kyclone stop --instance ${name}`, { home: daemon.home, folder: folder.path });
    }
  }
}

interface Scene {
  readonly daemon: TestDaemon;
  readonly work: string;
  readonly home: string;
  readonly world: ExampleWorld;
  readonly text: string;
}
interface Ready {
  readonly text?: string;
  readonly environment?: Record<string, string>;
  readonly end?: () => Promise<unknown>;
}

/** Starts a server of the CLI for an example that names its port, and replaces that port by the server's own. */
async function beside(
  { home, work, text }: Scene,
  argv: string[],
  port: string,
  member: string,
): Promise<Ready> {
  const { first, kill, ended } = await startCli(argv, { home, cwd: work });
  const [got = ''] = /\d+$/.exec(String(first[member])) ?? [];
  return {
    text: text.replaceAll(port, got),
    end: () => {
      kill('SIGTERM');
      return ended;
    },
  };
}

const decided = async ({ world, text }: Scene): Promise<Ready> => {
  await world.onboarding(text);
  return {};
};
const tagged = async ({ world, home, work, text }: Scene): Promise<Ready> => {
  const topic = text.split(' ')[1] ?? '';
  const id = topic === 'users' ? await world.user() : await world.business();
  await runScript(`kyclone ${topic} tag ${id} trial`, { home, folder: work });
  return {};
};
const owned = async ({ world, home, work, text }: Scene): Promise<Ready> => {
  if (!text.includes('--remove')) return {};
  const owners = `kyclone businesses owners ${await world.business()} --add ${await world.user()}=10`;
  await runScript(owners, { home, folder: work });
  return {};
};
const CONFIGURED = async ({ home, work }: Scene): Promise<Ready> => {
  await runScript('kyclone config set egress.policy strict', { home, folder: work });
  return {};
};

const saved = async ({ world }: Scene): Promise<Ready> => {
  await world.snapshots();
  return {};
};
/** Sends a request that is refused every 250 ms until the example has ended. */
const refusing = async ({ daemon: { url, apiKey }, world }: Scene): Promise<Ready> => {
  const path = `/users/${await world.user()}/vault/decrypt`;
  const headers = { authorization: `Basic ${btoa(`${apiKey}:`)}`, 'content-type': 'application/json' };
  const send = () => void fetch(url + path, { method: 'POST', headers, body: '{"fields":["no.such"]}' });
  const again = setInterval(send, 250);
  return {
    end: () => {
      clearInterval(again);
      return Promise.resolve();
    },
  };
};

/** Uses the daemon as its own remote sandbox. */
const sandboxed = async ({ daemon, home, work, text }: Scene): Promise<Ready> => {
  writeFileSync(join(work, 'sandbox.key'), daemon.apiKey);
  writeFileSync(join(work, 'known.txt'), '');
  rmSync(join(work, 'answers.json'), { force: true });
  if (text.includes('replay')) {
    const record = `kyclone compare record --remote ${daemon.url} --remote-key @sandbox.key --out answers.json`;
    await runScript(record, { home, folder: work });
  }
  return {
    text: text.replaceAll('https://sandbox.example', daemon.url),
    environment: { KYCLONE_REMOTE_API_KEY: daemon.apiKey },
  };
};

/** What else an example needs, by command. */
const PREPARED: Readonly<Record<string, (scene: Scene) => Promise<Ready>>> = {
  'requests:tail': refusing,
  'record:start': async ({ world }) => {
    await world.recording(false);
    return {};
  },
  'record:stop': async ({ world, work }) => {
    await world.recording(true);
    rmSync(join(work, 'signup.yaml'), { force: true });
    return {};
  },
  'snapshot:delete': saved,
  'snapshot:diff': saved,
  'snapshot:get': saved,
  'snapshot:load': async ({ world, home, work }) => {
    await world.snapshots();
    await runScript('kyclone snapshot create ./nightly.kysnap --overwrite', { home, folder: work });
    return {};
  },
  'onboardings:validate': async ({ world }) => ({ environment: { VALIDATION: await world.validation() } }),
  'compare:record': sandboxed,
  'compare:replay': sandboxed,
  'compare:run': sandboxed,
  'decisions:create': decided,
  'risk-signals:review': decided,
  'users:cip-report': decided,
  'users:tag': tagged,
  'businesses:tag': tagged,
  'businesses:owners': owned,
  'bank:import': async ({ daemon, work, world }) => {
    const { accounts } = await ask(daemon, 'GET', `/bank_links/${await world.link('link')}/accounts`);
    const [{ mask = '' } = {}] = accounts as { mask?: string }[];
    const file = join(work, 'statement.ofx');
    writeFileSync(file, readFileSync(file, 'utf8').replace('<ACCTID>1', `<ACCTID>${mask}`));
    return {};
  },
  logs: async ({ home }) => {
    const { logFile, stateDirectory } = instancePaths(
      pathBases({ KYCLONE_HOME: home }, process.platform, home),
      'default',
    );
    mkdirSync(stateDirectory, { recursive: true });
    writeFileSync(logFile, '{"level":"info","event":"example"}\n');
    return Promise.resolve({});
  },
  'webhooks:trigger': async ({ daemon }) => {
    const server = await loopbackServer(answerJson(200, {}));
    await cleared(daemon);
    await ask(daemon, 'POST', '/_kyclone/webhooks', { url: server.url });
    return { end: () => server[Symbol.asyncDispose]() };
  },
  'webhooks:verify': () =>
    Promise.resolve({ environment: { KYCLONE_WEBHOOK_SECRET: `whsec_${'A'.repeat(32)}` } }),
  'config:get': CONFIGURED,
  'config:delete': CONFIGURED,
  'keyring:slots:delete': async ({ home, work, text }) => {
    const added = await runScript('kyclone keyring slots create recovery --field id', { home, folder: work });
    return { text: text.replace(' 2 ', ` ${added.stdout.trim()} `) };
  },
  'vault:download': async ({ world, work }) => {
    rmSync(join(work, 'front.png'));
    return { environment: { TOKEN: await world.downloadToken() } };
  },
  'users:cip': async (scene) => {
    await decided(scene);
    return await beside(scene, ['partner', 'echo'], '4700', 'hostname');
  },
  'proxy:render': (scene) => beside(scene, ['proxy', 'echo'], '4643', 'https_url'),
  'proxy:send': (scene) => beside(scene, ['proxy', 'echo', '--out', 'certificates'], '4643', 'https_url'),
  'proxy:explain': async ({ world }) => {
    await world.request();
    return {};
  },
  stop: async ({ home, work }) => {
    await runScript('kyclone start -d --instance staging', { home, folder: work });
    return {};
  },
};

describe.each(Object.entries(commands))('%s', (id, { examples }) => {
  test('help: has two examples or more', () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  test('examples: each does what it says', () => runExamples(id, examples));
});

test('examples: every exception is one that is needed', () => {
  expect([...Object.keys(NOT_RUN), ...Object.keys(OTHER_CODES)].filter((key) => !used.has(key))).toEqual([]);
});
