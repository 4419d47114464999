/** The person at the keyboard. The first action or search that leaves a record asks for the name, once. */
import { mayReadVaults } from '../../nouns/search/facts.ts';
import { isOperatorName, OPERATOR_RULE } from '../../contract/operator-name.ts';
import { screens } from '../screens/registry.ts';
import { type ActionDefinition, type Values, textField } from '../actions/definition.ts';
import type { FieldDefinition, OperatorQuestion, ScreenPlace, State, Step } from './model.ts';
import { currentView } from './reading.ts';
import { EMPTY_LINE, typed } from './text-line.ts';

const NAME = 'operator';

export const OPERATOR_LABEL = 'Your name';
export const OPERATOR_HINT =
  'Asked once. The access log and decisions show it. --as or KYCLONE_ACTOR gives it, too';
export const SEARCH_IS_LOGGED = 'The access log records who searches in vaults, and never the text';

const QUESTION = textField(NAME, OPERATOR_LABEL, OPERATOR_HINT, { problem: operatorProblem });

/** The question before a search that the access log records; undefined if the name is known, or nothing is recorded. */
export function operatorQuestion(
  state: State,
  { search, place, from }: Pick<OperatorQuestion, 'search' | 'place' | 'from'>,
): OperatorQuestion | undefined {
  const { screen } = (place ?? currentView(state).place) satisfies ScreenPlace;
  const pane = place === undefined ? currentView(state).pane : 0;
  const isLogged = screens[screen].panes[pane]?.isSearchLogged === true && mayReadVaults(search);
  if (!isLogged || state.operator !== undefined) return undefined;
  return { kind: 'operator', line: EMPTY_LINE, search, place, from };
}

/** `search` runs what the question was about, once there is a name. */
export function operatorKey(
  state: State,
  question: OperatorQuestion,
  key: string,
  search: (state: State, question: OperatorQuestion) => Step,
): Step {
  const showing = (overlay: State['overlay']): Step => ({ state: { ...state, overlay }, effects: [] });
  if (key === 'escape') return showing(question.from);
  if (key === 'enter' || key === 'tab') {
    const operator = question.line.text.trim();
    const problem = operator === '' ? `${OPERATOR_LABEL} is needed` : operatorProblem(operator);
    if (problem !== undefined) return showing({ ...question, problem });
    return search({ ...state, operator, overlay: undefined }, question);
  }
  const line = typed(question.line, key);
  return showing(line === undefined ? question : { ...question, line, problem: undefined });
}

/** Questions before an action's own fields. */
export function operatorFields(state: State, action: ActionDefinition): readonly FieldDefinition[] {
  return action.leavesTrace === true && state.operator === undefined ? [QUESTION] : [];
}

function operatorProblem(value: string): string | undefined {
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
