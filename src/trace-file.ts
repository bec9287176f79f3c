import { rmSync, statSync } from 'node:fs'
import { link, mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { freshSeed } from '../state/kernel/entropy.ts'
import { ConfigError, codeOf, reasonOf } from './config-error.ts'

/** Error of a trace that could not be written. The message is one line. */
export class TraceFileError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TraceFileError'
  }
}

/**
 * File of a trace: complete or absent. The file is written under the name of its draft and then
 * renamed (behaviour/program#traces).
 */
export class TraceFile {
  readonly path: string
  readonly #draftPath: string
  readonly #mode: number
  #isAbandoned = false

  /** @param isOwnerOnly true if the file holds secrets, so that only its owner may read it */
  constructor(path: string, isOwnerOnly = false) {
    this.path = path
    this.#draftPath = `${path}.draft`
    this.#mode = isOwnerOnly ? 0o600 : 0o666
  }

  /**
   * Removes the file and the draft of an earlier run.
   *
   * @param origin flag or variable that named the file, for messages
   * @throws {ConfigError} if the path cannot be the path of a file, or if the file cannot be
   *   written
   */
  prepare(origin: string): void {
    const refuse = (reason: string) => new ConfigError(`${origin}: ${this.path} ${reason}`)
    try {
      const parent = dirname(this.path)
      const kind = kindOf(parent)
      if (kind === undefined) throw refuse(`is in a folder that does not exist`)
      if (kind !== 'folder') throw refuse(`is not below a folder: ${parent} is a ${kind}`)
      if (/[/\\]$/.test(this.path) || ['.', '..'].includes(basename(this.path))) {
        throw refuse('is the name of a folder; it must be a file')
      }
      const existingKind = kindOf(this.path)
      if (existingKind !== undefined && existingKind !== 'file') {
        throw refuse(`is a ${existingKind}; it must be a file`)
      }
      rmSync(this.#draftPath, { force: true })
      rmSync(this.path, { force: true })
    } catch (error) {
      if (error instanceof ConfigError) throw error
      throw refuse(`cannot be written (${reasonOf(error)})`)
    }
  }

  /**
   * Writes the file.
   *
   * @throws {TraceFileError} if the file cannot be written; no part of the file then remains
   */
  async write(page: string): Promise<void> {
    try {
      await rm(this.#draftPath, { force: true })
      const draft = await open(this.#draftPath, 'wx', this.#mode)
      try {
        await draft.writeFile(page)
      } finally {
        await draft.close()
      }
      if (this.#isAbandoned) throw new Error('writing was abandoned')
      await rename(this.#draftPath, this.path)
    } catch (error) {
      await rm(this.#draftPath, { force: true }).catch(() => {})
      throw new TraceFileError(`cannot write the trace ${this.path} (${reasonOf(error)})`)
    }
  }

  /** Removes the draft of a file that is being written, because the process ends. */
  abandon(): void {
    this.#isAbandoned = true
    try {
      rmSync(this.#draftPath, { force: true })
    } catch {
      // A draft that cannot be removed stays, and the next run replaces it.
    }
  }
}

/**
 * Writes a trace to a new file in a folder, and creates the folder if it is missing. If the name is
 * taken, a number is appended to it.
 *
 * @param name name of the file, without extension
 * @returns the path of the file
 * @throws {TraceFileError} if the file cannot be written; no part of the file then remains
 */
export async function writeNewTrace(folder: string, name: string, page: string): Promise<string> {
  const draft = join(folder, `.${freshSeed()}.draft`)
  try {
    await mkdir(folder, { recursive: true })
    await writeFile(draft, page, { flag: 'wx' })
    for (let number = 1; ; number += 1) {
      const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}.html`)
      if (await publish(draft, path)) return path
    }
  } catch (error) {
    const path = join(folder, `${name}.html`)
    throw new TraceFileError(`cannot write the trace ${path} (${reasonOf(error)})`)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
}

/** Gives a complete draft its name. Returns false if the name is taken. */
async function publish(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error
  }
  // On file systems without hard links, the draft is renamed.
  if (kindOf(path) !== undefined) return false
  await rename(draft, path)
  return true
}

type FileKind = 'file' | 'folder' | 'device' | 'pipe' | 'socket'

/** Returns the kind of the file at a path; undefined if the path does not exist. */
function kindOf(path: string): FileKind | undefined {
  try {
    const found = statSync(path)
    if (found.isFile()) return 'file'
    if (found.isDirectory()) return 'folder'
    if (found.isFIFO()) return 'pipe'
    return found.isSocket() ? 'socket' : 'device'
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
