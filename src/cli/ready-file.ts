import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { ConfigError, codeOf, reasonOf } from '../config-error.ts'
import { flags } from './flags/flags.ts'

/**
 * Removes the ready file of an earlier run.
 *
 * @throws {ConfigError} if the path is not a regular file, which then stays as it is, and if the file
 *   cannot be removed
 */
export function removeReadyFile(file: string): void {
  attempt(file, () => {
    if (isOtherThanFile(file)) {
      throw new ConfigError(`--${flags.readyFile.name}: ${file} exists and is not a regular file`)
    }
    rmSync(file, { force: true })
  })
}

/**
 * Writes the ready file under a temporary name and renames it, so that readers never see a part of
 * it. The file holds tokens, so that only its owner may read it.
 *
 * @throws {ConfigError} if the file cannot be written; then nothing of it remains
 */
export function writeReadyFile(file: string, info: unknown): void {
  const temporaryFile = `${file}.${process.pid}.tmp`
  attempt(file, () => {
    try {
      writeFileSync(temporaryFile, `${JSON.stringify(info, null, 2)}\n`, { mode: 0o600 })
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

function attempt(file: string, change: () => void): void {
  try {
    change()
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`--${flags.readyFile.name}: cannot write ${file} (${reasonOf(error)})`)
  }
}
