/**
 * Runs the inspector independently of its drawing: keeps the state, passes messages to update.ts, runs the resulting
 * effects, and notifies the listeners that draw. A failure becomes a message; nothing here throws.
 */
import { ApiError } from '../client/errors.ts';
import { SECOND_MS } from '../kernel/numbers/units.ts';
import type { Values } from './actions/definition.ts';
import { settingReasons } from './actions/reasons.ts';
import { actions } from './actions/registry.ts';
import { done } from './actions/things.ts';
import type { Copied } from './data/clipboard.ts';
import { FRAME_MS } from './data/happenings.ts';
import type { Image } from './data/images.ts';
import type { Source } from './data/source.ts';
import type { VaultFile } from './data/vault-files.ts';
import { screens } from './screens/registry.ts';
import { nameOf } from './state/acting.ts';
import { noticeOfCopy } from './state/copying.ts';
import type {
  ActionName,
  Effect,
  Marked,
  Message,
  Page,
  Result,
  Revealed,
  Setup,
  Size,
  State,
  Target,
} from './state/model.ts';
import { PAGE_SIZE } from './state/panes.ts';
import { currentView, wayHere } from './state/reading.ts';
import { initialState, update } from './state/update.ts';
import { inWords } from './words.ts';

/** How long a revealed value is shown. */
export const REVEAL_MS = 20 * SECOND_MS;

/** The functions that the runtime needs from outside. */
export interface Surroundings {
  /** The current daemon; a different one after a restart. `operator`: the person who makes the requests. */
  /** `seen`: the last entry of the access log when an action was prepared. */
  source(operator?: string, seen?: number): Source;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** Copies to the user's clipboard. */
  copy(text: string): Promise<Copied>;
  /**
   * Shows a file in the browser. Returns false if no browser asked for it; the file is not read then. A page returns the
   * image, to be shown as a value. Undefined without a desktop.
   */
  browse?(read: () => Promise<VaultFile>): Promise<boolean | Image>;
  /** Whether the image of a state can be shown. */
  canShow(image: Image): boolean;
  /** Switches `source` to another daemon or environment. If it is unreachable, rejects and keeps the present one. */
  switchTo?(target: Target): Promise<Pick<Setup, 'instance' | 'isByAddress' | 'environment' | 'tenant'>>;
  /** Goes to an address of `Setup.ways`. */
  visit?(href: string): void;
  /** The names of the instances of this user; undefined where there are none to go to. */
  instances?(): readonly string[];
  /** Tries at once to find the daemon again. */
  reconnect(): void;
  /** Gives the terminal back, and stops this process until the shell continues it. */
  suspend(): void;
}

export type Runtime = ReturnType<typeof createRuntime>;

export function createRuntime(setup: Setup, size: Size, surroundings: Surroundings) {
  const listeners = new Set<() => void>();
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  let countDown: NodeJS.Timeout | undefined;
  const frames = paced(() => {
    for (const listener of listeners) listener();
  });
  const begun = initialState(setup, size);
  let state = begun.state;
  /** The last entry of the access log when the action that is asked about was begun. */
  let seen: Promise<number | undefined> | undefined;
  /** The views that have claimed their case. */
  const claimedBy = new Set<number>();

  function dispatch(message: Message): void {
    const before = state;
    const step = update(state, message);
    state = step.state;
    if (isPrepared(state) && !isPrepared(before)) seen = lastEntry(surroundings.source());
    if (state.revealed === undefined) clearInterval(countDown);
    for (const effect of step.effects) void run(effect);
    if (state !== before) frames.show(isWaitedFor(message, before));
  }

  async function run(effect: Effect): Promise<void> {
    switch (effect.type) {
      case 'load':
        await load(effect);
        return;
      case 'load_choices': {
        const { action, subject, marked = [{ subject }], field } = effect;
        try {
          const source = surroundings.source();
          const subjects = marked.map((each) => each.subject);
          const fields = actions[action].fields?.(subject) ?? [];
          const isReason = fields.some((each) => each.name === field && each.isReason);
          const choices = isReason
            ? await settingReasons(source)
            : await actions[action].choices?.(source, subject, field, subjects);
          dispatch({ type: 'choices', action, subject, field, choices: choices ?? [] });
        } catch (error) {
          dispatch({ type: 'choices', action, subject, field, choices: [] });
          dispatch(done(inWords(error), 'bad', false));
        }
        return;
      }
      case 'perform':
        await perform(effect);
        return;
      case 'switch':
        await switchTo(effect.target);
        return;
      case 'find_instances': {
        const names = surroundings.instances?.();
        if (names !== undefined) dispatch({ type: 'instances', names });
        return;
      }
      case 'copy':
        dispatch({ type: 'copied', notice: noticeOfCopy(await surroundings.copy(effect.text), effect.what) });
        return;
      case 'visit':
        surroundings.visit?.(effect.href);
        return;
      case 'count_down':
        clearInterval(countDown);
        countDown = setInterval(() => dispatch({ type: 'tick', now: surroundings.now() }), SECOND_MS);
        return;
      case 'reconnect':
        surroundings.reconnect();
        return;
      case 'suspend':
        surroundings.suspend();
        return;
      case 'leave':
        clearInterval(countDown);
        frames.cease();
        leave();
    }
  }

  async function load(effect: Extract<Effect, { type: 'load' }>): Promise<void> {
    const { view, pane, generation, place, cursor, filter, size: rows } = effect;
    const definition = screens[place.screen].panes[pane];
    if (definition === undefined) return;
    const target = { view, pane, generation };
    try {
      // Every page comes from the daemon that is current now.
      const source = surroundings.source(state.operator);
      await claimOpened(effect, source);
      const filtered = { params: place.params, filter: definition.filteredBy === 'daemon' ? filter : '' };
      const page = await pagesUpTo(rows, cursor, (from) =>
        definition.load(source, { ...filtered, cursor: from, size: PAGE_SIZE }),
      );
      dispatch({ type: 'page', ...target, isFirst: cursor === undefined, page });
    } catch (error) {
      const isGone = error instanceof ApiError && error.status === 404;
      dispatch({ type: 'load_failed', ...target, problem: inWords(error), isGone });
    }
  }

  /** Opening a case of the review queue claims it, once, unless another operator has it. */
  async function claimOpened(
    { view, place }: Extract<Effect, { type: 'load' }>,
    { client, space }: Source,
  ): Promise<void> {
    const fpId = place.params['fp_id'];
    const queue = wayHere(state).find((each) => each.place.screen === 'reviews');
    const isCase =
      place.screen === 'entity' && queue?.panes[0]?.rows.some(({ key }) => key === fpId) === true;
    const isNobody = state.operator === undefined || state.setup.isReadonly;
    if (!isCase || isNobody || fpId === undefined || claimedBy.has(view)) return;
    claimedBy.add(view);
    const params = { fp_id: fpId };
    await client
      .call('POST /_kyclone/entities/{fp_id}/claim', { params, query: space })
      .catch((error: unknown) => {
        // The panes say of somebody who does not exist that they don't.
        if (error instanceof ApiError && error.status === 404) return;
        const [who = ''] = inWords(error).split(' until ');
        dispatch(done(`${who}: C takes it over`, 'warn', false));
      });
  }

  async function switchTo(target: Target): Promise<void> {
    try {
      if (surroundings.switchTo === undefined) throw new TypeError('there is nowhere to go');
      dispatch({ type: 'switched', setup: await surroundings.switchTo(target) });
    } catch (error) {
      dispatch({ type: 'failed', problem: inWords(error), form: undefined });
    }
  }

  async function perform(effect: Extract<Effect, { type: 'perform' }>): Promise<void> {
    const { operator, action, subject, marked, view, pane, values, form } = effect;
    const { atOnce, label } = actions[action];
    try {
      const source = surroundings.source(operator, await seen);
      seen = undefined;
      if (marked !== undefined && atOnce === undefined) {
        const report = (text: string) => dispatch({ type: 'progress', text });
        const results = await performForMany(source, action, { marked, values, report });
        dispatch({ type: 'done_many', view, pane, title: label, results });
        return;
      }
      const outcome =
        marked === undefined || atOnce === undefined
          ? await actions[action].perform(source, subject, values)
          : await atOnce.perform(
              source,
              marked.map((each) => each.subject),
              values,
            );
      /** Whether it is shown: it may come too late. */
      const reveal = (shown: Pick<Revealed, 'title' | 'values' | 'image'>) => {
        const now = surroundings.now();
        const revealed = { subject, marked, ...shown, top: 0, hidesAt: now + REVEAL_MS };
        dispatch({ type: 'revealed', revealed, now });
        return state.revealed === revealed;
      };
      switch (outcome.type) {
        case 'browse': {
          const image = (await surroundings.browse?.(outcome.read)) ?? false;
          if (image === false)
            dispatch(done('No browser opened, so nothing was decrypted: w saves the file', 'warn', false));
          else if (image === true || reveal({ title: 'Image', values: [], image }))
            dispatch(done('The browser shows the image'));
          return;
        }
        case 'reveal':
          reveal({ title: outcome.title, values: outcome.values });
          return;
        case 'image':
          if (!surroundings.canShow(outcome))
            dispatch(done('This terminal shows no images: w saves it', 'warn', false));
          else if (reveal({ title: outcome.title, values: [], image: outcome }))
            dispatch(done('The image was shown', 'dim', false));
          return;
        default:
          dispatch(outcome);
      }
    } catch (error) {
      const isStale = error instanceof ApiError && error.status === 409;
      dispatch({ type: 'failed', problem: inWords(error), form, isStale });
    }
  }

  for (const effect of begun.effects) void run(effect);
  return {
    getState: () => state,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    dispatch,
    /** Settles when the user leaves. */
    left,
  };
}

/** Messages that are the user's own. */
const USERS: ReadonlySet<Message['type']> = new Set(['key', 'click', 'pointed', 'resized']);

/** Whether the user waits for this message: a result of their keys, or the first rows of the current view. */
function isWaitedFor(message: Message, state: State): boolean {
  if (message.type !== 'page') return USERS.has(message.type);
  const { id, pane } = currentView(state);
  return message.generation === 1 && message.isFirst && message.view === id && message.pane === pane;
}

/** Loads as many pages as this number of rows needs, and joins them: a reloaded list keeps its length. */
async function pagesUpTo(
  rows: number,
  cursor: string | undefined,
  load: (from: string | undefined) => Promise<Page>,
): Promise<Page> {
  const first = await load(cursor);
  let page = first;
  while (page.next !== null && page.rows.length < rows) {
    const more = await load(page.next);
    page = { ...more, banner: first.banner, history: first.history, rows: [...page.rows, ...more.rows] };
  }
  return page;
}

/** Shows results of user input at once, and the first change after them; other changes twelve times a second. */
function paced(show: () => void): { show(isUsers: boolean): void; cease(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let isDue = false;
  const frame = () => {
    show();
    timer = setTimeout(() => {
      timer = undefined;
      if (!isDue) return;
      isDue = false;
      frame();
    }, FRAME_MS);
  };
  return {
    show(isUsers) {
      if (isUsers) {
        clearTimeout(timer);
        timer = undefined;
        isDue = false;
        show();
      } else if (timer === undefined && !isOver) frame();
      else isDue = true;
    },
    cease() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

// Performs one action for many rows, one after another. A failure of one doesn't stop the others.

interface Many {
  readonly marked: readonly Marked[];
  readonly values: Values;
  readonly report: (text: string) => void;
}

/** The result for each row, in the order of the rows. Never rejects. */
export async function performForMany(
  source: Source,
  action: ActionName,
  { marked, values, report }: Many,
): Promise<readonly Result[]> {
  const doing = actions[action];
  const results: Result[] = [];
  for (const each of marked) {
    if (marked.length > 1) report(`${doing.label}, ${results.length + 1} of ${marked.length}`);
    results.push({ key: each.key, ...(await one(each)) });
  }
  return results;

  async function one(each: Marked): Promise<Omit<Result, 'key'>> {
    const name = nameOf(each);
    try {
      const outcome = await doing.perform(source, each.subject, values);
      if (outcome.type !== 'done') return { isDone: true, text: name };
      const { tone, text } = outcome.notice;
      return { isDone: tone === 'good', text: `${name}: ${text}` };
    } catch (error) {
      return { isDone: false, text: `${name}: ${inWords(error)}` };
    }
  }
}

/** Whether the user is asked about an action that leaves a record: others may act in the meantime. */
function isPrepared({ overlay }: State): boolean {
  return (
    (overlay?.kind === 'form' || overlay?.kind === 'confirm') && actions[overlay.action].leavesTrace === true
  );
}

/** Undefined where it can't be read: the action is then done without the check. */
async function lastEntry({ client }: Source): Promise<number | undefined> {
  const page = await client
    .call('GET /_kyclone/access-log', { query: { page_size: 1 } })
    .catch(() => undefined);
  return page && (page.data[0]?.seq ?? 0);
}
