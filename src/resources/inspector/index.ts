export { accessLogHandlers, inspectorHandlers } from './handlers.ts';
