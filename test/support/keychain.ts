/**
 * A Secret Service for tests: a private D-Bus session, and a gnome-keyring with its files in a temporary home. It never
 * uses the user's keychain. It needs the programs in KEYCHAIN_TOOLS.
 */
import './tier-all.ts';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATIENCE_MS } from './patience.ts';

export const KEYCHAIN_TOOLS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'] as const;
const POLL_MS = 20;

/** The configuration has no service directories, so that the bus starts no second keyring and no prompter. */
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

export type KeychainSession = Awaited<ReturnType<typeof startKeychain>>;

/** Starts a bus and an unlocked keychain. Both are ready when the promise resolves. */
export async function startKeychain() {
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
    /** The variables by which a child process finds this keychain. */
    environment,
    /** Brings the keychain into the state after a login without its password: the entries are there, but locked. */
    async lock() {
      await end(keyring);
      keyring = await startKeyring(processEnvironment, { isUnlocked: false });
    },
    /** Ends both daemons and removes their files. */
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
  // This is the login password. The daemon makes no default keyring for an empty password.
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
