/**
 * Opens the inspector from the command line: chooses the daemon, the screen and the mode for the terminal. Either
 * runs in this terminal until the user leaves, or prints one screen, pane after pane with titles.
 */
import { DEFAULT_TENANT, namedTenant } from '../../nouns/entities/facts.ts';
import { isBusinessId } from '../../kernel/ids/ids.ts';
import { createClient } from '../../client/client.ts';
import type {
  Elsewhere,
  Found,
  Place,
  ScreenData,
  ScreenText,
  Setup,
  Target,
  ThemeName,
} from '../../tui/index.ts';
import {
  accessByAddress,
  connectionOf,
  type DaemonAccess,
  findDaemon,
  instanceNames,
} from '../shell/daemon-access.ts';
import {
  canRedraw,
  chooseInstance,
  isTerminal,
  terminalVariables,
  type TerminalVariables,
  wantsColour,
  type CliEnvironment,
} from '../shell/environment.ts';
import { CliError, UsageError } from '../shell/failure.ts';
import { UnreachableError } from '../../client/errors.ts';
import { table } from '../shell/layout.ts';
import { showPrivately } from '../shell/open-privately.ts';
import { printable, type Style } from '../shell/output.ts';

export type { ScreenData, ScreenText };

/** The values of `--screen`: the names of the palette, with dashes. */
export const SCREENS: Readonly<Record<string, Place['screen']>> = {
  users: 'users',
  businesses: 'businesses',
  everyone: 'found',
  reviews: 'reviews',
  'bank-links': 'banks',
  events: 'events',
  deliveries: 'deliveries',
  requests: 'requests',
  'access-log': 'access',
  'proxy-calls': 'proxy',
  clock: 'clock',
  /** The screen's earlier name, which keeps working. */
  'clock-and-faults': 'clock',
  snapshots: 'snapshots',
  'webhook-endpoints': 'webhooks',
  'outcome-rules': 'outcomes',
  playbooks: 'playbooks',
  'api-keys': 'keys',
};

/** The number of rows printed for each pane: one page. */
const ROWS_ONCE = 100;

/**
 * The daemon's identity: from its locator, which was proven, or else from the daemon itself. Throws what the client
 * throws.
 */
async function found(access: DaemonAccess, isLive: boolean): Promise<Found> {
  const connection = connectionOf(access, isLive);
  const { locator } = access;
  if (locator !== undefined) return { connection, version: locator.version, identity: locator.nonce };
  const { version, started_at: startedAt, pid } = await createClient(connection).call('GET /_kyclone/info');
  return { connection, version, identity: `${startedAt} ${pid}` };
}

/** The first place: an entity or a screen. Throws UsageError if the id is not an entity id. */
export function startingPlace(id: string | undefined, screen: string | undefined): Place {
  if (id === undefined) return { screen: SCREENS[screen ?? 'users'] ?? 'users', params: {} };
  if (!/^fp_(?:bid|id)_[A-Za-z0-9_]{1,64}$/.test(id))
    throw new UsageError('--user takes an id: fp_id_… or fp_bid_…');
  return { screen: 'entity', params: { fp_id: id, kind: isBusinessId(id) ? 'business' : 'user' } };
}

/** The daemon's name in the header: its instance, or its address if it was found by that. */
function whereOf(
  { locator, baseUrl }: DaemonAccess,
  { name }: { readonly name: string },
): Pick<Setup, 'instance' | 'isByAddress'> {
  return locator === undefined ? { instance: new URL(baseUrl).host, isByAddress: true } : { instance: name };
}

/** A redrawn window, lines, or a single print. */
export type Mode = 'screen' | 'linear' | 'once';

/** Lines need a terminal too, for the keys. The window needs one that can redraw. */
export function modeOf(flags: { readonly once: boolean; readonly linear: boolean }): Mode {
  const { stdin, stdout } = process;
  if (flags.once || !isTerminal(stdin) || !isTerminal(stdout)) return 'once';
  if (flags.linear || terminalVariables().INK_SCREEN_READER === 'true') return 'linear';
  return canRedraw(stdout) ? 'screen' : 'once';
}

/**
 * Access with the keys of the environment: those of the instance's files belong to tenant `default`. Throws UsageError
 * if there is none.
 */
export function accessOfTenant(
  access: DaemonAccess,
  tenant: string | undefined,
  environment: CliEnvironment,
): DaemonAccess {
  if (namedTenant(tenant) === undefined) return access;
  const { keys } = accessByAddress(environment, access.baseUrl);
  if (keys.sandbox === undefined && keys.live === undefined) {
    throw new UsageError(
      '--tenant needs a key of that tenant in KYCLONE_API_KEY',
      'kyclone keys create --name NAME --tenant NAME makes one',
    );
  }
  return { ...access, keys };
}

/** The screen at a place, read once, as text and as data. Throws what the client throws. */
export async function readOnce(
  access: DaemonAccess,
  { live: isLive, tenant = DEFAULT_TENANT }: { readonly live: boolean; readonly tenant?: string | undefined },
  place: Place,
): Promise<{ readonly text: ScreenText; readonly data: ScreenData }> {
  const { createSource, dataOf, readScreen } = await import('../../tui/index.ts');
  const source = createSource(connectionOf(access, isLive), { tenant, environment: environmentOf(isLive) });
  const text = await readScreen(source, place, { rows: ROWS_ONCE });
  return { text, data: dataOf(text) };
}

/** Uses colours if wanted, and those of a light terminal if it reports that it is light. */
function themeFor(flag: string | undefined, { COLORFGBG }: TerminalVariables): ThemeName {
  if (flag === 'dark' || flag === 'light' || flag === 'none') return flag;
  if (!wantsColour(process.stdout)) return 'none';
  const background = Number(COLORFGBG?.split(';').at(-1));
  return background === 7 || background >= 9 ? 'light' : 'dark';
}

export interface InspectOpening {
  readonly cli: CliEnvironment;
  readonly flags: {
    readonly instance?: string | undefined;
    readonly live: boolean;
    readonly tenant?: string | undefined;
    readonly theme?: string | undefined;
  };
  readonly setup: Pick<Setup, 'isReadonly' | 'start' | 'operator'>;
  /** The instance to use if there is no address. */
  readonly target: Promise<{ readonly name: string }>;
  readonly ownVersion: string;
}

/**
 * Returns the signal that ended it, or undefined when the user left. Throws what the client throws, before anything
 * is drawn.
 */
export async function openInspector(
  mode: Exclude<Mode, 'once'>,
  access: Promise<DaemonAccess>,
  { cli, flags, setup, target, ownVersion }: InspectOpening,
): Promise<NodeJS.Signals | undefined> {
  const ofTenant = (there: DaemonAccess) => accessOfTenant(there, flags.tenant, cli);
  const [{ inspect, linearInspect }, first] = await Promise.all([
    import('../../tui/index.ts'),
    access.then((there) => found(ofTenant(there), flags.live)),
  ]);
  const variables = terminalVariables();
  const options = {
    setup: {
      ...whereOf(await access, await target),
      ...setup,
      environment: environmentOf(flags.live),
      tenant: namedTenant(flags.tenant),
    },
    instances: () => instanceNames(cli.bases.state),
    first,
    find: async () => await found(ofTenant(await findDaemon(cli, flags.instance)), flags.live),
    elsewhere: elsewhereOf(cli, flags.instance, flags.tenant),
    ...(cli.hasDesktop && { browse: inBrowser }),
    ownVersion,
    stdin: process.stdin,
    stdout: process.stdout,
    environment: variables,
  };
  if (mode === 'linear') return await linearInspect(options);
  return await inspect(options, themeFor(flags.theme, variables));
}

/** Notes of an opener would be drawn over. */
async function inBrowser(read: Parameters<typeof showPrivately>[0]): Promise<boolean> {
  return await showPrivately(read, { seesBrowser: true, note: () => undefined });
}

const environmentOf = (isLive: boolean) => (isLive ? ('live' as const) : ('sandbox' as const));

/**
 * Finds targets that the user switches to. A named instance and the tenant stay the current ones when only the
 * environment changes; another instance begins with tenant `default`.
 */
function elsewhereOf(
  cli: CliEnvironment,
  named: string | undefined,
  itsTenant: string | undefined,
): (target: Target) => Promise<Elsewhere> {
  let present = named;
  let shown = itsTenant;
  return async ({ instance = present, environment }) => {
    const isLive = environment === 'live';
    const tenant = instance === present ? shown : undefined;
    const reach = async () => {
      try {
        return accessOfTenant(await findDaemon(cli, instance), tenant, cli);
      } catch (error) {
        throw error instanceof CliError ? new UnreachableError(error.message) : error;
      }
    };
    const access = await reach();
    const first = await found(access, isLive);
    const { name } = await chooseInstance(cli, instance);
    [present, shown] = [instance, tenant];
    return {
      setup: { isByAddress: false, ...whereOf(access, { name }), environment, tenant: namedTenant(tenant) },
      first,
      find: async () => await found(await reach(), isLive),
    };
  };
}

type PaneText = ScreenText['panes'][number];

/** `tenant`: named first, unless it is `default`. */
export function screenView({ title, panes }: ScreenText, style: Style, tenant?: string): string {
  const named = namedTenant(tenant);
  const heading = named === undefined ? '' : `${printable(`tenant ${named}`)}\n`;
  const [only] = panes;
  if (only !== undefined && panes.length === 1) return heading + paneText(only, style);
  const parts = panes.map((pane) => `${style.bold(printable(pane.title))}\n${paneText(pane, style)}`);
  return heading + [printable(title), ...parts].join('\n\n');
}

function paneText(pane: PaneText, style: Style): string {
  return [
    ...(pane.banner === null ? [] : [printable(pane.banner)]),
    tableText(pane, style),
    ...(pane.more ? [style.dim(moreText(pane))] : []),
  ].join('\n');
}

function tableText({ headings, rows, note }: PaneText, style: Style): string {
  if (rows.length === 0) return printable(note);
  const kept = headings.flatMap((_, at) => (rows.some((row) => hasText(row[at])) ? [at] : []));
  const of = <Part>(parts: readonly Part[]) => kept.flatMap((at) => parts.slice(at, at + 1));
  const text = table(of(headings), rows.map(of), style, '');
  // Drops a heading line without text.
  return headings.some((heading) => heading !== '') ? text : text.slice(text.indexOf('\n') + 1);
}

/** A column without content is left out. */
function hasText(cell: string | undefined): boolean {
  return cell !== undefined && cell !== '' && cell !== '-';
}

function moreText({ rows, total }: PaneText): string {
  return total === null ? `The first ${rows.length}; there are more` : `The first ${rows.length} of ${total}`;
}
