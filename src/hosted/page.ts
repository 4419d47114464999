/**
 * The pages of hosted flows, for an onboarding and for a bank link alone (contract §14). The daemon holds the state of
 * the flow; the page draws one place at a time and stores nothing: neither the entries nor the token, which stays in
 * the fragment of the address.
 */
import { HOSTED_PATHS } from '../contract/facts/onboardings.ts';
import { element } from '../form/elements.ts';
import { VaultError } from '../form/errors.ts';
import { callJson, type FormConnection } from '../form/request.ts';
import { appearanceOf, applyAppearance } from './appearance.ts';
import { banklessPlace, bankPlace, type BankChoices } from './bank-places.ts';
import { createBridge } from './bridge.ts';
import { pageForm, quietButton } from './controls.ts';
import { dataPlace } from './data-place.ts';
import { documentPlace, picturePlace } from './document-places.ts';
import { endedPlace, givenOutcome, message, outcomePlace, reviewPlace, screenOf } from './end-places.ts';
import type { HostedPage, KnownContact, ShownPlace } from './place.ts';
import { ownersPlace } from './owners-place.ts';
import { codePlace, contactIn, identifyPlace } from './person-places.ts';
import { bankOnly, placeOf, placesOf, progressOf, type FlowState, type HostedPlaceName } from './state.ts';
import { createWatch } from './watch.ts';
import { titleOf } from './words.ts';

interface Ended {
  /** Null when the flow goes on with a document. */
  readonly validation_token?: string | null;
  /** On the page of a bank link: null when the page's own token is the intent token. */
  readonly intent_token?: string | null;
  readonly redirect_to: string | null;
  readonly flow: FlowState;
}

const SESSION = HOSTED_PATHS.session;
/** How often the page polls the state of the flow, while it waits for a result and otherwise. */
const WAITING_POLL_MS = 2000;
const OPEN_POLL_MS = 5000;

/** Mounts the page if the document has `<main data-kyclone-hosted>`; ignores any other document. */
export function mountHostedPage(document: Document): void {
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
  let contact: KnownContact | undefined;

  const query = new URLSearchParams(window.location.search);
  applyAppearance(document.documentElement, appearanceOf(query));
  window.addEventListener('hashchange', () => window.location.reload());
  if (bridge.isEmbedded) embed();
  // The app sends the contact when it hears that the page is there.
  if (!bridge.isEmbedded || !query.has('contact')) void load();

  /**
   * Reports that the page is there, and the height of its content. Escape closes a dialog: its own page doesn't see keys pressed inside the frame.
   */
  function embed(): void {
    window.addEventListener('message', (message) => {
      if (contact || !bridge.isOfApp(message)) return;
      contact = contactIn(message.data);
      if (contact) void load();
    });
    bridge.report('ready');
    main.style.minHeight = '0';
    new ResizeObserver(() => bridge.report('resize', { height: document.body.offsetHeight })).observe(
      document.body,
    );
    if (query.get('display') !== 'dialog') return;
    window.addEventListener('keydown', ({ key, defaultPrevented }) => {
      if (key === 'Escape' && !defaultPrevented) bridge.report('cancel');
    });
  }

  function load(): Promise<void> {
    return orFailed(async () => show(seen(await callJson(connection, { method: 'GET', path: SESSION }))));
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
    if (isOfBank) return bankOnly(state);
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
      draw(endedPlace({ document }, state));
      if (state.result?.status === 'pending') watch.begin(WAITING_POLL_MS);
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
    const place = wanted !== undefined && placesOf(state).includes(wanted) ? wanted : placeOf(state);
    const outcome = givenOutcome(query);
    if (place === 'outcome' && outcome) {
      void orFailed(() => complete(outcome));
      return;
    }
    if (place.startsWith('bank:') && !choices) {
      void loadChoices(() => show(state, wanted, isChange));
      return;
    }
    const page: HostedPage = {
      document,
      state,
      contact,
      go: (next) => show(state, next),
      change: (given) => show(state, given, true),
      async send(step, body, next) {
        const wasVerified = state.identify.is_verified;
        const answer = await sent(step, body);
        if (answer === undefined) return;
        const after = seen(answer);
        if (!wasVerified && after.identify.is_verified) bridge.report('auth');
        show(after, next?.(after) ?? (isChange ? undefined : following(after, place)));
      },
      complete,
      failed,
    };
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
    if (ended.validation_token === null) {
      show(ended.flow);
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
      window.location.replace(url.href);
    } else end(ended);
  }

  async function cancel(): Promise<void> {
    sending?.abort();
    const ended = (await sent(isOfBank ? 'bank/cancel' : 'cancel')) as Ended | undefined;
    if (!ended) return;
    bridge.report('cancel');
    if (ended.redirect_to !== null && !bridge.isEmbedded) window.location.replace(ended.redirect_to);
    else draw(message('You have left', 'Nothing was kept. The same link opens it again, until it expires.'));
  }

  function end({ redirect_to, flow }: Ended): void {
    // Replaces the history entry, so that the back button can't reach the address with the token.
    if (redirect_to !== null && !bridge.isEmbedded) window.location.replace(redirect_to);
    else show(seen(flow));
  }

  /**
   * Polls the state, because the clock may move, the instance may be reset, and another tab may be faster. Draws only
   * when the state has changed, so that entries, focus and screen readers are not disturbed.
   */
  async function lookAgain(): Promise<void> {
    const before = turn;
    const isInTheWay = () => turn !== before || sending !== undefined;
    if (isInTheWay()) return;
    try {
      const state = seen(await callJson(connection, { method: 'GET', path: SESSION }));
      if (isInTheWay()) return;
      if (state.state !== 'open' && state.result?.status !== 'pending') show(state);
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
    const retry = pageForm(document, {
      content: [],
      fields: () => [],
      button: 'Try again',
      failed,
      submit: load,
    });
    return {
      title: 'This page could not be opened',
      lead: error.code === 'unreachable' ? 'No answer came: check the connection.' : `${error.message}.`,
      content: [retry.root],
    };
  }

  function draw(
    shown: ShownPlace,
    at?: { state: FlowState; place: HostedPlaceName; page: HostedPage },
  ): void {
    leave();
    leave = () => shown.left?.();
    if (shown.isProblem) bridge.report('error', { message: shown.title });
    turn += 1;
    sending?.abort();
    watch.end();
    const heading = element(document, 'h1', { tabindex: '-1' }, [shown.title]);
    main.replaceChildren(
      ...(at ? headOf(at) : []),
      heading,
      ...(at && at.state.note !== null
        ? [element(document, 'p', { class: 'hosted-bar' }, [at.state.note])]
        : []),
      ...(shown.lead === '' ? [] : [element(document, 'p', { class: 'lead' }, [shown.lead])]),
      ...shown.content,
    );
    document.title = shown.title;
    window.scrollTo(0, 0);
    heading.focus({ preventScroll: true });
  }

  function headOf({
    state,
    place,
    page,
  }: {
    state: FlowState;
    place: HostedPlaceName;
    page: HostedPage;
  }): HTMLElement[] {
    const places = placesOf(state);
    const before = places[places.indexOf(place) - 1];
    const done = Math.round(progressOf(state, place) * 100);
    const bar = element(document, 'span', {});
    bar.style.width = `${Math.max(done, 2)}%`;
    return [
      element(document, 'div', { class: 'hosted-top' }, [
        ...(before === undefined ? [] : [quietButton(document, 'Back', () => page.go(before))]),
        quietButton(document, 'Cancel', () => {
          void orFailed(cancel);
        }),
      ]),
      element(
        document,
        'div',
        {
          class: 'hosted-progress',
          role: 'progressbar',
          'aria-label': 'Progress',
          'aria-valuemin': '0',
          'aria-valuemax': '100',
          'aria-valuenow': String(done),
        },
        [bar],
      ),
    ];
  }
}

function shownAt(page: HostedPage, place: HostedPlaceName, choices: BankChoices | undefined): ShownPlace {
  const [step = '', part = ''] = place.split(':');
  switch (step) {
    case 'identify':
      return identifyPlace(page);
    case 'code':
      return codePlace(page);
    case 'data':
      return dataShown(page, part);
    case 'owners':
      return ownersPlace(page);
    case 'document':
      return part === '' ? documentPlace(page) : picturePlace(page, part);
    case 'bank':
      return bankPlace(page, part, choices);
    case 'review':
      return reviewPlace(page);
    default:
      return outcomePlace(page);
  }
}

function dataShown(page: HostedPage, name: string): ShownPlace {
  const { document, state } = page;
  const screen = state.screens.find((each) => each.name === name);
  if (!screen) return message('Nothing is asked here', 'Go back to the app that sent you here.');
  const data = dataPlace(document, screen, state);
  const [title, lead] = titleOf(name);
  const form = pageForm(document, {
    content: data.content,
    fields: () => data.fields(),
    button: 'Continue',
    failed: page.failed,
    submit: () => page.send('data', { screen: name, data: data.values() }),
  });
  return { title, lead, content: [form.root] };
}
