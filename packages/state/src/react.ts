export { usePresence } from './presence/react.ts';
export { useFollow, useRecord, useRecords, useStatus, useUnsaved } from './react/hooks.ts';
