/**
 * The pages of hosted flows, for an onboarding and for a bank link alone (contract §14). The daemon holds the state of
 * the flow; the page draws one place at a time and stores nothing: neither the entries nor the token, which stays in
 * the fragment of the address.
 */
import { HOSTED_PATHS } from '../nouns/hosted/facts.ts';
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { callJson, type FormConnection } from '../form/request.ts';
import { appearanceOf, applyAppearance } from './appearance.ts';
import { banklessPlace } from './bank-places.ts';
import { createBridge } from './bridge.ts';
import { pageForm, quietButton } from './controls.ts';
import { drawing } from './drawings.ts';
import { endedPlace, givenOutcome, isAwaited, last, screenOf } from './end-places.ts';
import { progressOf, sideOf, type At, shownAt } from './frame.ts';
import type { HostedPage, Memory, ShownPlace } from './place.ts';
import { contactIn } from './person-places.ts';
import { failureOf } from './refusal-words.ts';
import {
  bankOnly,
  placeOf,
  placesOf,
  stepIn,
  type BankChoices,
  type Ended,
  type FlowState,
  type HostedPlaceName,
} from './state.ts';
import { createVisits, createWatch } from './window.ts';
import { phrase, setLanguage } from './words.ts';

const SESSION = HOSTED_PATHS.session;
/** How often the page polls the state of the flow, while it waits for a result and otherwise. */
const WAITING_POLL_MS = 2000;
const OPEN_POLL_MS = 5000;

/** Mounts the page if the document has `<main data-kyclone-hosted>`; ignores any other document. */
function mountHostedPage(document: Document): void {
  const found = document.querySelector<HTMLElement>('main[data-kyclone-hosted]');
  const view = document.defaultView;
  if (!found || !view) return;
  const main = found;
  const window = view;
  const bridge = createBridge(window, main.dataset['origins'] ?? '');
  const connection: FormConnection = {
    baseUrl: window.location.origin,
    token: window.location.hash.slice(1),
  };
  const watch = createWatch(window, lookAgain);
  let leave: () => void = () => undefined;
  /** The request in flight; aborted, and its response ignored, when the person leaves the place. */
  let sending: AbortController | undefined;
  /** The number of places drawn so far. */
  let turn = 0;
  const isOfBank = window.location.pathname.endsWith(HOSTED_PATHS.bankLink);
  let choices: BankChoices | undefined;
  const memory: Memory = { contact: undefined, pictures: new Map() };
  /** The state that was read last. */
  let latest: FlowState | undefined;
  const visits = createVisits(window, (place) => {
    if (latest) show(latest, place);
  });
  /** Also after the flow has ended. */
  let isSandbox = false;
  /** The steps of the open flow. */
  let steps: FlowState['steps'] = [];
  let isLeaving = false;
  /** Whether something opened the page, to which it can lead back. */
  const isOpened = bridge.isEmbedded || window.history.length > 1;

  const query = new URLSearchParams(window.location.search);
  const appearance = appearanceOf(query);
  const language = query.get('language') === 'es' ? 'es' : 'en';
  setLanguage(language);
  document.documentElement.lang = language;
  applyAppearance(document.documentElement, appearance);
  window.addEventListener('hashchange', () => {
    if (!isLeaving) window.location.reload();
  });
  if (bridge.isEmbedded) embed();
  // The app sends the contact when it hears that the page is there.
  if (!bridge.isEmbedded || !query.has('contact')) void load();

  /**
   * Reports that the page is there, and the height of its content. Escape closes a dialog: its own page doesn't see
   * keys pressed inside the frame.
   */
  function embed(): void {
    window.addEventListener('message', (message) => {
      if (memory.contact || !bridge.isOfApp(message)) return;
      memory.contact = contactIn(message.data);
      if (memory.contact) void load();
    });
    bridge.report('ready');
    document.documentElement.classList.add('framed');
    new ResizeObserver(() => bridge.report('resize', { height: document.body.offsetHeight })).observe(
      document.body,
    );
    if (query.get('display') !== 'dialog') return;
    window.addEventListener('keydown', ({ key, defaultPrevented }) => {
      if (key === 'Escape' && !defaultPrevented) bridge.report('cancel');
    });
  }

  async function load(): Promise<void> {
    try {
      show(seen(await callJson(connection, { method: 'GET', path: SESSION })));
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      // A conflict of another call leads here; one of this call means that the link has no flow any more.
      const reason = error.code === 'conflict' ? new VaultError('unauthenticated', error.message) : error;
      if (!failed(reason)) draw(unreachable(reason));
    }
  }

  async function loadChoices(then: () => void): Promise<void> {
    await orFailed(async () => {
      choices = (await callJson(connection, { method: 'GET', path: `${SESSION}/bank` })) as BankChoices;
      then();
    });
  }

  /** Shows a screen for any error. */
  async function orFailed(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      if (!failed(error)) draw(unreachable(error));
    }
  }

  function seen(answer: unknown): FlowState {
    const state = answer as FlowState;
    latest = isOfBank ? bankOnly(state) : state;
    if (isOfBank) return latest;
    // The token of a bank link's page, opened at another page's address.
    if (state.flow === 'bank_link') throw new VaultError('unauthenticated', 'This link is for another page');
    return state;
  }

  /**
   * Draws the current place of the flow, or `wanted` if it can be reached. After a change the page returns to the
   * current place without repeating those in between.
   */
  function show(state: FlowState, wanted?: HostedPlaceName, isChange = false): void {
    if (state.state !== 'open') {
      draw(endedPlace(state));
      if (isAwaited(state)) watch.begin(WAITING_POLL_MS);
      return;
    }
    const { is_verified } = state.identify;
    // A flow that asks for nothing more.
    if (!isOfBank && is_verified && state.steps.every((step) => step === 'identify')) {
      void orFailed(() => complete({}));
      return;
    }
    if (isOfBank && is_verified && state.bank?.has_owner !== true) {
      draw(banklessPlace(state));
      return;
    }
    const current = placeOf(state);
    const places = placesOf(state);
    const isReached = wanted !== undefined && places.slice(0, places.indexOf(current) + 1).includes(wanted);
    const place = isReached ? wanted : current;
    const outcome = givenOutcome(query, state);
    if (place === 'outcome' && outcome) {
      void orFailed(() => complete(outcome));
      return;
    }
    if (place.startsWith('bank:') && !choices) {
      void loadChoices(() => show(state, wanted, isChange));
      return;
    }
    const page: HostedPage = {
      state,
      memory,
      go: (next) => show(state, next),
      change: (given) => show(state, given, true),
      async send(step, body, next) {
        const wasVerified = state.identify.is_verified;
        const answer = await sent(step, body);
        if (answer === undefined) return;
        const after = seen(answer);
        if (!wasVerified && after.identify.is_verified) {
          bridge.report('auth');
          // There is no way back to the code.
          await visits.rewind();
        }
        show(after, next?.(after) ?? (isChange ? undefined : following(after, place)));
      },
      complete,
      failed,
    };
    visits.visit(place);
    draw(shownAt(page, place, choices), { state, place, page });
    watch.begin(OPEN_POLL_MS);
  }

  /** The response; undefined when the person left the place first. Throws VaultError. */
  async function sent(step: string, body?: unknown): Promise<unknown> {
    const own = new AbortController();
    sending = own;
    try {
      const call = { method: 'POST', path: `${SESSION}/${step}`, body, signal: own.signal } as const;
      const answer = await callJson(connection, call);
      return own.signal.aborted ? undefined : answer;
    } catch (error) {
      if (own.signal.aborted) return undefined;
      throw error;
    } finally {
      if (sending === own) sending = undefined;
    }
  }

  /** The next place in order, when all before it are complete. */
  function following(state: FlowState, place: HostedPlaceName): HostedPlaceName | undefined {
    const places = placesOf(state);
    const index = places.indexOf(place);
    const next = places[index + 1];
    return index !== -1 && next !== undefined && places.indexOf(placeOf(state)) > index ? next : undefined;
  }

  async function complete(body: unknown): Promise<void> {
    const ended = (await sent(isOfBank ? 'bank/complete' : 'complete', body)) as Ended | undefined;
    if (!ended) return;
    const { intent_token } = ended;
    // The app may close the frame as soon as it hears of the end.
    if (bridge.isEmbedded || ended.redirect_to === null) await visits.rewind();
    if (ended.validation_token === null) {
      memory.pictures.clear();
      show(seen(ended.flow));
      return;
    }
    // A bank link ends with its intent token, an onboarding with its validation token.
    const validation_token = isOfBank ? (intent_token ?? connection.token) : ended.validation_token;
    bridge.report('complete', {
      validation_token,
      ...(!isOfBank && typeof intent_token === 'string' && { intent_token }),
    });
    if (isOfBank && ended.redirect_to !== null && !bridge.isEmbedded) {
      const url = new URL(ended.redirect_to);
      url.searchParams.set('validation_token', validation_token ?? '');
      await leaveFor(url.href);
    } else await end(ended);
  }

  async function cancel(): Promise<void> {
    sending?.abort();
    const ended = (await sent(isOfBank ? 'bank/cancel' : 'cancel')) as Ended | undefined;
    if (!ended) return;
    if (bridge.isEmbedded) await visits.rewind();
    bridge.report('cancel');
    if (ended.redirect_to !== null && !bridge.isEmbedded) await leaveFor(ended.redirect_to);
    else {
      latest = undefined;
      await visits.rewind();
      draw(
        last(
          'left',
          'You have left',
          'What you didn’t finish wasn’t saved. You can open the same link again until it expires.',
        ),
      );
    }
  }

  async function end({ redirect_to, flow }: Ended): Promise<void> {
    if (redirect_to !== null && !bridge.isEmbedded) await leaveFor(redirect_to);
    else show(seen(flow));
  }

  /** Replaces the history entries, so that the back button can't reach the address with the token. */
  async function leaveFor(url: string): Promise<void> {
    isLeaving = true;
    await visits.clear();
    window.location.replace(url);
  }

  /**
   * Polls the state, because the clock may move, the instance may be reset, and another tab may be faster. Draws only
   * when the state has changed, so that entries, focus and screen readers are not disturbed.
   */
  async function lookAgain(): Promise<void> {
    const before = turn;
    const was = latest?.state;
    const isInTheWay = () => turn !== before || sending !== undefined;
    if (isInTheWay()) return;
    try {
      const state = seen(await callJson(connection, { method: 'GET', path: SESSION }));
      if (isInTheWay()) return;
      if (state.state !== was || (state.state !== 'open' && !isAwaited(state))) show(state);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      if (!isInTheWay()) failed(error);
    }
  }

  function failed(error: VaultError): boolean {
    const shown = screenOf(error);
    if (shown) {
      bridge.report('error', { message: shown.title });
      draw(shown);
      return true;
    }
    // Another tab was faster, or the session was closed: read the current state from the daemon.
    if (error.code !== 'conflict') return false;
    void load();
    return true;
  }

  function unreachable(error: VaultError): ShownPlace {
    return {
      title: phrase('This page could not be opened'),
      lead:
        error.code === 'unreachable'
          ? phrase('No answer came: check the connection.')
          : failureOf(error.code),
      content: [pageForm({ failed }, { button: phrase('Try again'), submit: load })],
    };
  }

  function draw(shown: ShownPlace, at?: At & { page: HostedPage }): void {
    leave();
    leave = () => shown.left?.();
    if (shown.isProblem) bridge.report('error', { message: shown.title });
    turn += 1;
    sending?.abort();
    watch.end();
    const heading = element('h1', { tabindex: '-1' }, [shown.title]);
    if (latest) isSandbox = !latest.is_live;
    if (at) steps = at.state.steps;
    const isDone = shown.drawing === 'done' || shown.drawing === 'waiting';
    const now = at ? steps.indexOf(stepIn(at.place)) : steps.length - (shown.drawing === 'waiting' ? 1 : 0);
    main.replaceChildren(
      sideOf({ appearance, isOfBank, isSandbox, steps: at || isDone ? steps : [], now }),
      element('div', { class: 'hosted-main' }, [
        ...headOf(at),
        ...(shown.drawing ? [drawing(shown.drawing)] : []),
        heading,
        ...(at && at.state.note !== null ? [element('p', { class: 'hosted-bar' }, [at.state.note])] : []),
        ...(shown.lead === '' ? [] : [element('p', { class: 'lead' }, [shown.lead])]),
        ...shown.content,
        ...(shown.drawing && isOpened ? [backButton()] : []),
      ]),
    );
    document.title = shown.title;
    window.scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }

  /** The app closes the frame; a page of its own goes back to where the person came from. */
  function backButton(): HTMLElement {
    const button = phrase('Back to the app');
    return pageForm({ failed }, { button, submit });

    async function submit(): Promise<void> {
      if (bridge.isEmbedded) bridge.report('cancel');
      else {
        await visits.rewind();
        window.history.back();
      }
    }
  }

  function headOf(at: (At & { page: HostedPage }) | undefined): HTMLElement[] {
    if (!at) return [];
    const places = placesOf(at.state);
    const before = places[places.indexOf(at.place) - 1];
    const { count, bar } = progressOf(at);
    const back = () => {
      if (before !== undefined && !visits.back()) at.page.go(before);
    };
    const leaving = quietButton(phrase('Cancel'), () => {
      leaving.setAttribute('aria-busy', 'true');
      void orFailed(cancel).finally(() => leaving.removeAttribute('aria-busy'));
    });
    return [
      element('div', { class: 'hosted-top' }, [
        ...(before === undefined ? [] : [quietButton(phrase('Back'), back)]),
        count,
        leaving,
      ]),
      bar,
    ];
  }
}

mountHostedPage(document);
