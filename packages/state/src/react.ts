export { useFollow, useRecord, useRecords, useStatus, useUnsaved } from './react/hooks.ts';
