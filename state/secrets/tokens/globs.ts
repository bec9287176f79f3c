/**
 * Returns whether a name matches a glob in which each `*` stands for any text. Globs for parameters
 * in policies have other rules: see `policies/acl.ts`.
 */
export function matchesGlob(glob: string, name: string): boolean {
  const [first = '', ...rest] = glob.split('*')
  const last = rest.pop()
  if (last === undefined) return name === glob
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}
