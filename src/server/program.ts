import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import type { Script } from 'node:vm'
import { compileModule, evaluateModule } from './compile-module.ts'

/** Exports of the built program. */
type Program = typeof import('./program-exports.ts')

/** Path of the built program. After the build, this module is in the same folder. */
const file = fileURLToPath(new URL('./understudy.cjs', import.meta.url))

const nodeBuild = `${process.version}-${process.arch}-${cachedDataVersionTag().toString(36)}`

/**
 * Path of the program's V8 code cache. The cache exists because compilation takes half of a cold
 * start. The file name contains the build of Node: another build finds no cache and compiles the
 * program.
 */
export const codeFile = file.replace(/cjs$/, `${nodeBuild}.code`)

/** Program, evaluated once per process. */
export const program: Program = load()

/** Compiles the program. With `cachedCode`, V8 reuses the code that was compiled before. */
export function compile(cachedCode?: Buffer): Script {
  // Latin-1 is sufficient, because the bundler writes only ASCII.
  return compileModule(readFileSync(file, 'latin1'), file, cachedCode)
}

export function evaluate(script: Script): Program {
  return evaluateModule(script, createRequire(file), file) as Program
}

function load(): Program {
  const cachedCode = readCachedCode()
  return cachedCode === undefined ? createRequire(file)(file) : evaluate(compile(cachedCode))
}

function readCachedCode(): Buffer | undefined {
  try {
    // V8 does not detect that the program has changed since the cache was written.
    return statSync(codeFile).mtimeMs < statSync(file).mtimeMs ? undefined : readFileSync(codeFile)
  } catch {
    return undefined
  }
}
