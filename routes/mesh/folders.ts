const lastParameter = /^(\/.*)\/:[^/:]+$/

/** The paths that want a slash behind them: those before a parameter that are no operation's. */
export function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const known = new Set(paths)
  const folders = paths.flatMap((path) => lastParameter.exec(path)?.[1] ?? [])
  return new Set(folders.filter((folder) => !known.has(folder)))
}
