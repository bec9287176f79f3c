import { readPackedFile } from './packed-files.ts'

/** Name and version in this package's package.json. */
interface PackageInfo {
  readonly name: string
  readonly version: string
}

/**
 * Reads the nearest package.json above this file: one folder up among the sources, two or three
 * when built. The result is not cached. Throws an error if there is no such file.
 */
export function packageInfo(): PackageInfo {
  for (const path of ['../package.json', '../../package.json', '../../../package.json']) {
    const info = readInfo(path)
    if (info !== undefined) return info
  }
  throw new Error('package.json of infra-understudy not found; install the package again')
}

function readInfo(path: string): PackageInfo | undefined {
  let content: unknown
  try {
    content = JSON.parse(readPackedFile(path).toString())
  } catch {
    return undefined
  }
  if (typeof content !== 'object' || content === null) return undefined
  if (!('name' in content) || !('version' in content)) return undefined
  const { name, version } = content
  return typeof name === 'string' && typeof version === 'string' ? { name, version } : undefined
}
