/**
 * Decodes the percent-encoding of a path or of a part of one. A text with a malformed escape is
 * returned unchanged.
 */
export function decodePath(path: string): string {
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
