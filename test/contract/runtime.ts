/** Whether this runs inside workerd. */
export const IN_WORKERD =
  (globalThis as { navigator?: { userAgent?: string } }).navigator?.userAgent === 'Cloudflare-Workers';
