import { readdirSync, readFileSync } from 'node:fs'
import { getRawAsset, isSea } from 'node:sea'

/**
 * Prefix of this package's files in an executable. The prefix separates these files from files that
 * an embedding program adds.
 */
const assetPrefix = 'infra-understudy/'

/**
 * Name of the file that lists the files of an executable. The list is needed because Node 20 has no
 * function that lists these files.
 */
export const assetListName = 'names.json'

/**
 * Returns the key under which an executable contains a file. The key leaves out `./` and `../` at
 * the start of the path.
 */
export function assetKey(path: string): string {
  return assetPrefix + path.replace(/^(?:\.\.?\/)+/, '')
}

/**
 * Reads a file of the package: from the executable, or from the folder of the program if there is
 * no executable (behaviour/program#executable).
 *
 * @param path path from this module, which is in `src` or, built, in `dist/src`
 * @throws an error of the file system if the file does not exist
 */
export function readPackedFile(path: string): Buffer {
  return readAsset(path) ?? readFileSync(new URL(path, import.meta.url))
}

/** Returns the names of files in a folder of the package; empty if the folder does not exist. */
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

/**
 * Reads a file from the executable without copying it; undefined if the executable does not contain
 * it.
 */
export function readAsset(path: string): Buffer | undefined {
  if (!isSea()) return undefined
  try {
    // The declared type includes text, which this call never returns.
    return Buffer.from(getRawAsset(assetKey(path)) as ArrayBuffer)
  } catch {
    return undefined
  }
}
