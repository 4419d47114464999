/** The inspector's runtime in a page: its state and effects, with what a browser gives them. */
import { realTime } from '../kernel/time/real-time.ts';
import { createRuntime } from '../tui/runtime.ts';
import { followDaemon, type Found, type Link } from '../tui/data/follow.ts';
import { wholeFile } from '../tui/data/vault-files.ts';
import type { Message, Pointed, Setup, Size } from '../tui/state/model.ts';
import { namedTenant } from '../nouns/entities/facts.ts';
import { MIB } from '../kernel/numbers/units.ts';
import { copyText } from './clipboard.ts';
import { isSignedOut, openPageStream, pageSource, type PageConnection } from './client.ts';
import { BUILDER, routeOf } from './routes.ts';
import { resumeSession, type SessionOfPage } from './session.ts';

const HOME = { screen: 'users', params: {} } as const;
const IMAGE_LIMIT_BYTES = 16 * MIB;

export type PageRuntime = ReturnType<typeof openPage>;

/** `onEnd`: the session is over. */
export function openPage(session: SessionOfPage, onEnd: () => void) {
  const now = () => realTime.elapsed();
  const start = routeOf(location.hash);
  const setup: Setup = {
    instance: session.instance,
    environment: session.environment,
    tenant: namedTenant(session.tenant),
    isReadonly: session.is_readonly,
    operator: session.operator ?? undefined,
    // A page has no lines that it could lack.
    isLinear: true,
    isPage: true,
    ways: [{ name: 'request builder', says: 'build, send and copy requests of the API', href: BUILDER }],
    start: start?.place ?? HOME,
  };
  let connection: PageConnection = {
    token: session.token,
    tenant: session.tenant,
    environment: session.environment,
  };
  const identityOf = ({ expires_at }: SessionOfPage) => expires_at;
  const found = (of: SessionOfPage) => ({
    connection: (connection = { ...connection, token: of.token }),
    identity: identityOf(of),
    version: of.version,
  });
  /** Ends the page when the daemon no longer knows its session. */
  const watched = async (path: string, init: RequestInit) => {
    const response = await fetch(path, init);
    // Unreachable now: the link finds the daemon again, or the end of the session.
    if (response.status === 401) await resume().catch(() => undefined);
    return response;
  };
  let resuming: Promise<Found<PageConnection> | undefined> | undefined;
  /** Undefined when there is no session any longer. Calls that fail together resume it once. */
  const resume = () =>
    (resuming ??= resumeSession()
      .catch((error: unknown) => {
        if (isSignedOut(error)) return undefined;
        throw error;
      })
      .then((next) => {
        if (next === undefined) onEnd();
        return next && found(next);
      })
      .finally(() => (resuming = undefined)));

  const report = (message: Message) => runtime.dispatch(message);
  const linkTo = (): Link =>
    followDaemon<PageConnection>({
      first: { connection, identity: identityOf(session), version: session.version },
      find: async () => (await resume()) ?? found(session),
      open: (to, signal) => openPageStream(to, signal, watched),
      sourceOf: (to, requester) => pageSource(to, requester, watched),
      // The page came from this daemon.
      ownVersion: session.version,
      report,
    });
  let link = linkTo();
  const runtime = createRuntime(setup, sizeOfWindow(), {
    source: (operator, seen) => link.source(operator, seen),
    now,
    copy: copyText,
    canShow: () => true,
    async browse(read) {
      const file = await read();
      const bytes = await wholeFile(file, IMAGE_LIMIT_BYTES);
      return bytes !== undefined && { contentType: file.contentType, bytes };
    },
    async switchTo({ environment }) {
      await Promise.resolve();
      link.stop();
      connection = { ...connection, environment };
      link = linkTo();
      void link.follow();
      return { instance: session.instance, environment };
    },
    visit: (href) => (location.hash = href),
    reconnect: () => link.retry(),
    suspend: () => undefined,
  });
  const act = (what: Pointed) => runtime.dispatch({ type: 'pointed', act: what, now: now() });
  if (start?.pane !== undefined) act({ kind: 'pane', pane: start.pane });
  return {
    runtime,
    /** What a pointer does, and a key. */
    act,
    press: (key: string) => runtime.dispatch({ type: 'key', key, now: now() }),
    now,
    /** What is asked of the daemon outside of the screens, by the present session. */
    source: () => link.source(runtime.getState().operator),
    connection: () => connection,
    follow: () => void link.follow(),
    stop: () => link.stop(),
  };
}

const ROW_PX = 30;
const CELL_PX = 8;

/** The window in rows and cells, for moving by a screen. */
export function sizeOfWindow(): Size {
  return { columns: Math.floor(innerWidth / CELL_PX), rows: Math.max(12, Math.floor(innerHeight / ROW_PX)) };
}
