/**
 * Runs a statement, and makes its tables if it finds them missing: `deleteAll()` removes them, and so does a transaction
 * that is rolled back.
 */
export function withTables<Result>(sql: SqlStorage, tables: readonly string[], run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    for (const table of tables) sql.exec(table);
    return run();
  }
}

/** Returns true for the error of a statement whose table was never made, or was removed. */
export function isMissingTable(error: unknown): boolean {
  return (error as Error).message.includes('no such table');
}
