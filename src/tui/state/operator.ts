/** The person at the keyboard. The first action or search that leaves a record asks for the name, once. */
import { mayReadVaults } from '../../nouns/search/facts.ts';
import { isOperatorName, OPERATOR_RULE } from '../../contract/operator-name.ts';
import { screens } from '../screens/registry.ts';
import { type ActionDefinition, type Values, textField } from '../actions/definition.ts';
import type { FieldDefinition, OperatorQuestion, ScreenPlace, State } from './model.ts';
import { currentView } from './reading.ts';
import { EMPTY_LINE } from './text-line.ts';

const NAME = 'operator';

export const OPERATOR_LABEL = 'Your name';
export const OPERATOR_HINT =
  'Asked once. The access log and decisions show it. --as or KYCLONE_ACTOR gives it, too';
export const SEARCH_IS_LOGGED = 'The access log records who searches in vaults, and never the text';

const QUESTION = textField(NAME, OPERATOR_LABEL, OPERATOR_HINT, { problem: operatorProblem });

/** A search that is run once there is a name: in the current list, or in another place. */
export type LoggedSearch = Omit<OperatorQuestion, 'kind' | 'line' | 'problem'>;

/** The question before a search that the access log records; undefined if the name is known, or nothing is recorded. */
export function operatorQuestion(
  state: State,
  { search, place, from }: LoggedSearch,
): OperatorQuestion | undefined {
  const { screen } = (place ?? currentView(state).place) satisfies ScreenPlace;
  const pane = place === undefined ? currentView(state).pane : 0;
  const isLogged = screens[screen].panes[pane]?.isSearchLogged === true && mayReadVaults(search);
  if (!isLogged || state.operator !== undefined) return undefined;
  return { kind: 'operator', line: EMPTY_LINE, search, place, from };
}

/** Questions before an action's own fields. */
export function operatorFields(state: State, action: ActionDefinition): readonly FieldDefinition[] {
  return action.leavesTrace === true && state.operator === undefined ? [QUESTION] : [];
}

export function operatorProblem(value: string): string | undefined {
  if (value === '') return `${OPERATOR_LABEL} is needed`;
  return isOperatorName(value) ? undefined : `A name has ${OPERATOR_RULE}`;
}

/** The name given with the values, or the earlier one. The returned values don't contain it. */
export function takenOperator(
  state: State,
  values: Values,
): { operator: string | undefined; values: Values } {
  const { [NAME]: typed, ...others } = values;
  return { operator: typed ?? state.operator, values: others };
}

/** The values plus the name, for the text of the question. */
export function withOperator(state: State, values: Values): Values {
  return state.operator === undefined ? values : { [NAME]: state.operator, ...values };
}
