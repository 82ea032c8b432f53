/**
 * The conditions by which tests find the packages: their sources, so that none sees a stale build. `TEST_DIST=1` leads to
 * what has been built instead, as users have it.
 */
export const SOURCE_CONDITIONS: string[] = process.env.TEST_DIST === '1' ? [] : ['@lumenize/source'];
