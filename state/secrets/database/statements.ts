/** Keywords with which a valid statement begins. */
const firstWords: ReadonlySet<string> = new Set(
  'CREATE ALTER DROP GRANT REVOKE SET SELECT INSERT UPDATE DELETE BEGIN COMMIT DO USE REASSIGN FLUSH'.split(
    ' ',
  ),
)

/** Words that may follow `CREATE` or `DROP`. */
const createdKinds: ReadonlySet<string> = new Set(
  'ROLE USER LOGIN GROUP DATABASE SCHEMA KEYSPACE TABLE VIEW INDEX FUNCTION PROCEDURE EXTENSION POLICY SERVICE OWNED OR IF UNIQUE TEMP TEMPORARY'.split(
    ' ',
  ),
)

/**
 * Splits statements at semicolons, as the plugins do, and drops empty parts. JSON and statements
 * with a quoted block (`$$`) are not split.
 */
export function splitStatements(statements: readonly string[]): string[] {
  return statements
    .flatMap((text) => (isJson(text) || text.includes('$$') ? [text] : text.split(';')))
    .map((text) => text.trim())
    .filter((text) => text !== '')
}

const isJson = (text: string) => /^\s*[{[]/.test(text)

/**
 * Returns the first invalid word of a statement. Returns undefined if its first words are valid, or
 * if the statement is JSON (behaviour/secrets#database). Words after the second are not checked.
 */
export function checkStatement(statement: string): string | undefined {
  if (isJson(statement)) return undefined
  const [first = '', second = ''] = statement.split(/[\s(;]+/)
  const verb = first.toUpperCase()
  if (!firstWords.has(verb)) return first
  if (verb !== 'CREATE' && verb !== 'DROP') return undefined
  return createdKinds.has(second.toUpperCase()) ? undefined : second
}

const createStatementPattern =
  /^CREATE\s+(?:ROLE|USER|LOGIN)\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:"([^"]+)"|'([^']+)'|`([^`]+)`|\[([^\]]+)\]|([^\s;]+))/i

/** Returns the name of the account that a statement creates; undefined for other statements. */
export function createdAccount(statement: string): string | undefined {
  const found = createStatementPattern.exec(statement)
  return found?.slice(1).find((name) => name !== undefined)
}
