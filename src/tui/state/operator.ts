/** The person at the keyboard. The first action that leaves a record asks for the name, once. */
import { isOperatorName, OPERATOR_RULE } from '../../contract/operator-name.ts';
import type { ActionDefinition, Values } from '../actions/definition.ts';
import type { FieldDefinition, State } from './model.ts';

const NAME = 'operator';

const QUESTION: FieldDefinition = {
  name: NAME,
  label: 'Your name',
  kind: 'text',
  isRequired: true,
  hint: 'Asked once. The access log and decisions show it. --as or KYCLONE_ACTOR gives it, too',
};

/** Questions before an action's own fields. */
export function operatorFields(state: State, action: ActionDefinition): readonly FieldDefinition[] {
  return action.leavesTrace === true && state.operator === undefined ? [QUESTION] : [];
}

/** Undefined for any other field, and for a valid name. */
export function operatorProblem(field: string, value: string): string | undefined {
  return field !== NAME || isOperatorName(value) ? undefined : `A name has ${OPERATOR_RULE}`;
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
