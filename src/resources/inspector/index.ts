export { accessLogHandlers, inspectorHandlers } from './handlers.ts';
export { inspectedItem } from './entities.ts';
