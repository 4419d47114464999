/** The state of the flow from the daemon, and the places of the page derived from it (contract §14). Pure. */
import type { AnswerOf } from '../contract/registry.ts';

/** The response of `GET /hosted/session`. */
export type FlowState = AnswerOf<'GET /hosted/session'>;
/** The response of `GET /hosted/session/bank`. */
export type BankChoices = AnswerOf<'GET /hosted/session/bank'>;
/** The response that ends a flow; `validation_token` is null when the flow goes on with a document. */
export type Ended = AnswerOf<'POST /hosted/session/cancel'> &
  Partial<AnswerOf<'POST /hosted/session/complete'>>;
export type Screen = FlowState['screens'][number];
export type Group = Screen['groups'][number];
export type HostedOwner = NonNullable<FlowState['owners']>['others'][number];

/** `data:<screen>` for a screen of data, `document:<side>` for a picture, `bank:<part>` for a bank, else the step. */
export type HostedPlaceName = string;

/** In order; the page moves forward and back along them. */
export function placesOf(state: FlowState): HostedPlaceName[] {
  return state.steps.flatMap((step) => {
    if (step === 'identify') {
      const { is_verified, is_fixed } = state.identify;
      return is_verified ? [] : is_fixed ? ['code'] : ['identify', 'code'];
    }
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

export function stepIn(place: HostedPlaceName): FlowState['steps'][number] {
  const [step = ''] = place.split(':');
  return (step === 'code' ? 'identify' : step) as FlowState['steps'][number];
}

/** The place where an identifier is changed. */
export function placeOfIdentifier(state: FlowState, identifier: string): HostedPlaceName | undefined {
  const screen = state.screens.find(({ groups }) =>
    groups.some(({ identifiers }) => identifiers.includes(identifier)),
  );
  if (screen) return `data:${screen.name}`;
  return identifier.startsWith('document.') ? 'document' : undefined;
}
