export { createDecisions, type Decision, type Decisions, type NewDecision } from './service.ts';
