import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { ConfigError, codeOf, reasonOf } from '../config-error.ts'
import type { Flag } from './flags/flag-types.ts'

/**
 * Removes the file that the flag names, which an earlier run may have written.
 *
 * @throws {ConfigError} if the path is not a regular file, which then stays as it is, and if the
 *   file cannot be removed
 */
export function removeOutputFile(flag: Flag<unknown>, file: string): void {
  attempt(flag, file, () => {
    if (isOtherThanFile(file)) {
      throw new ConfigError(`--${flag.name}: ${file} exists and is not a regular file`)
    }
    rmSync(file, { force: true })
  })
}

/**
 * Writes the file that the flag names. The text is written to a temporary file, which is then
 * renamed, so that readers never see an incomplete file. The file may hold tokens, so only its
 * owner may read it.
 *
 * @throws {ConfigError} if the file cannot be written; the temporary file is then removed
 */
export function writeOutputFile(flag: Flag<unknown>, file: string, text: string): void {
  const temporaryFile = `${file}.${process.pid}.tmp`
  attempt(flag, file, () => {
    try {
      writeFileSync(temporaryFile, text, { mode: 0o600 })
      renameSync(temporaryFile, file)
    } catch (error) {
      rmSync(temporaryFile, { force: true })
      throw error
    }
  })
}

function isOtherThanFile(file: string): boolean {
  try {
    return !statSync(file).isFile()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function attempt(flag: Flag<unknown>, file: string, change: () => void): void {
  try {
    change()
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`--${flag.name}: cannot write ${file} (${reasonOf(error)})`)
  }
}
