import { readdirSync, readFileSync } from 'node:fs'
import { getRawAsset, isSea } from 'node:sea'

/** In an executable all of this package's is kept under its name: a program that embeds it has its own. */
const prefix = 'infra-understudy/'

/** The list of what an executable has, which Node 20 does not tell. */
export const assetListName = 'names.json'

/** The key under which an executable keeps a file, given by its path from `dist/src` or from the sources. */
export function assetKey(path: string): string {
  return prefix + path.replace(/^(?:\.\.?\/)+/, '')
}

/**
 * Reads a file that comes with the program: out of the executable, or where there is none from beside
 * the program (behaviour/program#executable).
 *
 * @param path from this module, which stands in `src` or, built, in `dist/src`
 * @throws an error of the file system where there is no such file
 */
export function readPackedFile(path: string): Buffer {
  return readAsset(path) ?? readFileSync(new URL(path, import.meta.url))
}

/** Lists the names in a folder of what comes with the program; none where there is no such folder. */
export function listPackedFiles(folder: string): readonly string[] {
  const list = readAsset(assetListName)
  if (list !== undefined) {
    const names: readonly string[] = JSON.parse(list.toString())
    const start = assetKey(folder)
    return names.filter((name) => name.startsWith(start)).map((name) => name.slice(start.length))
  }
  try {
    return readdirSync(new URL(folder, import.meta.url))
  } catch {
    return []
  }
}

/** Takes a file out of the executable without copying it; undefined where that does not have it. */
export function readAsset(path: string): Buffer | undefined {
  if (!isSea()) return undefined
  try {
    // Its type says text too, which it never is.
    return Buffer.from(getRawAsset(assetKey(path)) as ArrayBuffer)
  } catch {
    return undefined
  }
}
