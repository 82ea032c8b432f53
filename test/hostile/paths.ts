/** Has all objects of the Worker hibernate. */
export const EVICT_PATH = '/evict';
/** Collects garbage. */
export const COLLECT_PATH = '/collect';
/** Where sockets of the library's size, but without the library, are accepted. */
export const RAW_PATH = '/raw';
/** What is attacked. */
export const VICTIM_PATH = '/rpc/victim/attacked';
/** What idles. */
export const IDLE_PATH = '/rpc/idle/idle';
