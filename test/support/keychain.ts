/**
 * A Secret Service of the test's own: a private D-Bus session and a gnome-keyring with its files in a temporary home.
 * The user's keychain is never touched. Needs the Debian packages in KEYCHAIN_PACKAGES.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

export const KEYCHAIN_PACKAGES = ['dbus', 'gnome-keyring'];

const TOOLS = [
  ['dbus-daemon', '--version'],
  ['dbus-send', '--help'],
  ['gnome-keyring-daemon', '--version'],
] as const;
const POLL_MS = 20;

/** No service directories: the bus must not start a second keyring of its own, or a prompter. */
const BUS_CONFIGURATION = `<busconfig>
  <type>session</type>
  <listen>unix:dir=DIRECTORY</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`;

export interface KeychainSession {
  /** What a child process needs in its environment to find this keychain. */
  readonly environment: { DBUS_SESSION_BUS_ADDRESS: string; XDG_RUNTIME_DIR: string };
  /** The same keychain after a new login without its password: what is stored is there but locked. */
  lock(): Promise<void>;
  /** Ends both daemons and removes their files. */
  stop(): Promise<void>;
}

/** Which of the programs this needs are not installed. */
export function missingKeychainTools(): string[] {
  return TOOLS.filter(([tool, argument]) => !canRun(tool, argument)).map(([tool]) => tool);
}

function canRun(tool: string, argument: string): boolean {
  try {
    execFileSync(tool, [argument], { stdio: 'ignore' });
    return true;
  } catch (error) {
    // dbus-send --help exits with 1: it runs all the same.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

/** Starts a bus and an unlocked keychain; both are ready when the promise settles. */
export async function startKeychain(): Promise<KeychainSession> {
  const home = mkdtempSync(join(tmpdir(), 'kyclone-keychain-'));
  const configuration = join(home, 'bus.conf');
  writeFileSync(configuration, BUS_CONFIGURATION.replace('DIRECTORY', home));
  const bus = spawn('dbus-daemon', ['--nofork', '--print-address=1', `--config-file=${configuration}`], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const address = await firstLine(bus);
  const environment = { DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: home };
  const processEnvironment = {
    ...process.env,
    ...environment,
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
  };
  let keyring = await startKeyring(processEnvironment, { isUnlocked: true });
  return {
    environment,
    async lock() {
      await end(keyring);
      keyring = await startKeyring(processEnvironment, { isUnlocked: false });
    },
    async stop() {
      await end(keyring);
      await end(bus);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function startKeyring(
  env: NodeJS.ProcessEnv,
  { isUnlocked }: { isUnlocked: boolean },
): Promise<ChildProcess> {
  const mode = isUnlocked ? '--unlock' : '--start';
  const keyring = spawn('gnome-keyring-daemon', [mode, '--foreground', '--components=secrets'], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The login password: without a single character the daemon makes no default keyring.
  keyring.stdin.end('login password');
  const deadline = Date.now() + PATIENCE_MS;
  while (!ownsSecretService(env)) {
    if (Date.now() > deadline) throw new Error('gnome-keyring-daemon did not come up');
    await delay(POLL_MS);
  }
  return keyring;
}

function ownsSecretService(env: NodeJS.ProcessEnv): boolean {
  const question = ['org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets'];
  const call = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/', ...question];
  const reply = execFileSync('dbus-send', call, { env });
  return reply.includes('boolean true');
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('error', reject);
    child.once('exit', () => reject(new Error('dbus-daemon ended before it gave its address')));
    child.stdout?.on('data', (part: Buffer) => {
      text += part.toString();
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
  });
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
