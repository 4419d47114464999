/** The state of the flow from the daemon, and the places of the page derived from it (contract §14). Pure. */
import type { FLOW_STATES, HOSTED_FLOWS } from '../nouns/hosted/facts.ts';
import type { LoginMethod } from '../nouns/onboardings/facts.ts';

export interface Group {
  readonly identifiers: readonly string[];
  readonly is_required: boolean;
  readonly is_domestic: boolean;
}

export interface Screen {
  readonly name: string;
  readonly groups: readonly Group[];
  readonly is_done: boolean;
}

export interface HostedOwner {
  readonly first_name?: string;
  readonly last_name?: string;
  readonly email?: string;
  readonly phone_number?: string;
  readonly ownership_stake: number;
}

/** The response of `GET /hosted/session`. */
export interface FlowState {
  readonly state: (typeof FLOW_STATES)[number];
  readonly flow: (typeof HOSTED_FLOWS)[number];
  readonly kind: 'kyc' | 'kyb' | 'document' | null;
  readonly title: string | null;
  readonly is_live: boolean;
  readonly steps: readonly string[];
  readonly step: string | null;
  /** The run asked for a document, and waits for it. */
  readonly is_step_up: boolean;
  readonly identify: {
    readonly is_verified: boolean;
    readonly sent_to: string | null;
    readonly by: 'email' | 'sms' | null;
    readonly methods: readonly LoginMethod[];
    readonly tries_left: number;
  };
  readonly note: string | null;
  readonly screens: readonly Screen[];
  readonly values: Readonly<Record<string, unknown>>;
  readonly owners: { readonly primary_stake: number; readonly others: readonly HostedOwner[] } | null;
  readonly document: {
    readonly kinds: readonly string[];
    readonly kind: string | null;
    readonly country: string | null;
    readonly sides: readonly string[];
    readonly given: readonly string[];
  } | null;
  readonly bank: {
    /** The link to connect again. */
    readonly link: { readonly institution: string; readonly error_code: string | null } | null;
    readonly institution: string | null;
    readonly persona: string | null;
    readonly accounts: readonly string[] | null;
    readonly is_agreed: boolean;
    readonly has_owner: boolean;
  } | null;
  readonly review: readonly { readonly identifier: string; readonly shown: string }[];
  readonly result: { readonly status: string; readonly requires_manual_review: boolean } | null;
}

/** `data:<screen>` for a screen of data, `document:<side>` for a picture, `bank:<part>` for a bank, else the step. */
export type HostedPlaceName = string;

/** In order; the page moves forward and back along them. */
export function placesOf(state: FlowState): HostedPlaceName[] {
  return state.steps.flatMap((step) => {
    if (step === 'identify') return state.identify.is_verified ? [] : ['identify', 'code'];
    if (step === 'data') {
      return state.screens.length === 0 ? ['data:'] : state.screens.map(({ name }) => `data:${name}`);
    }
    if (step === 'document') {
      return ['document', ...(state.document?.sides ?? []).map((side) => `document:${side}`)];
    }
    if (step === 'bank') return bankPlacesOf(state);
    return [step];
  });
}

/** An onboarding asks for consent by itself. */
function bankPlacesOf({ bank, flow }: FlowState): HostedPlaceName[] {
  if (bank?.link) return ['bank:again'];
  const parts = ['institution', 'persona', 'accounts', ...(flow === 'bank_link' ? ['agree'] : [])];
  return parts.map((part) => `bank:${part}`);
}

function bankPlaceOf({ bank }: FlowState): HostedPlaceName {
  if (bank?.link) return 'bank:again';
  const missing = (['institution', 'persona', 'accounts'] as const).find((part) => !bank?.[part]);
  return `bank:${missing ?? 'agree'}`;
}

/** The same flow on the page of the bank alone. */
export function bankOnly(state: FlowState): FlowState {
  return {
    ...state,
    state: state.bank?.is_agreed === true ? 'completed' : state.state,
    flow: 'bank_link',
    steps: state.steps.filter((step) => step === 'identify' || step === 'bank'),
    step: state.identify.is_verified ? 'bank' : 'identify',
    result: null,
  };
}

export function placeOf(state: FlowState): HostedPlaceName {
  switch (state.step) {
    case 'identify':
      return state.identify.sent_to === null ? 'identify' : 'code';
    case 'data':
      return `data:${state.screens.find(({ is_done }) => !is_done)?.name ?? ''}`;
    case 'document': {
      const { sides = [], given = [] } = state.document ?? {};
      const next = sides.find((side) => !given.includes(side));
      return next === undefined ? 'document' : `document:${next}`;
    }
    case 'bank':
      return bankPlaceOf(state);
    default:
      return state.step ?? '';
  }
}

export function stepIn(place: HostedPlaceName): string {
  const [step = ''] = place.split(':');
  return step === 'code' ? 'identify' : step;
}

/** The place where an identifier is changed. */
export function placeOfIdentifier(state: FlowState, identifier: string): HostedPlaceName | undefined {
  const screen = state.screens.find(({ groups }) =>
    groups.some(({ identifiers }) => identifiers.includes(identifier)),
  );
  if (screen) return `data:${screen.name}`;
  return identifier.startsWith('document.') ? 'document' : undefined;
}
