/** Decodes a path or a part of one as Go's servers do; malformed encoding is kept. */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
