/**
 * The address that a path stands for, as Go's router cleans it (3a-mesh-decisions.md section 1):
 * repeated slashes and the segments `.` and `..` go, a last slash stays. What is percent-encoded is
 * part of a name.
 *
 * @param path as sent, with its first slash
 */
export function cleanPath(path: string): string {
  const kept: string[] = []
  const segments = path.split('/')
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const isFolder = path.endsWith('/') && kept.length > 0
  return `/${kept.join('/')}${isFolder ? '/' : ''}`
}

const lastParameter = /^(\/.*)\/:[^/:]+$/

/** The paths that want a slash behind them: those before a parameter that are no operation's. */
export function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const known = new Set(paths)
  const folders = paths.flatMap((path) => lastParameter.exec(path)?.[1] ?? [])
  return new Set(folders.filter((folder) => !known.has(folder)))
}
