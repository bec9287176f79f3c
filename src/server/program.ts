import { readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { cachedDataVersionTag } from 'node:v8'
import type { Script } from 'node:vm'
import { compileModule, evaluateModule } from './compile-module.ts'

/** What the built program offers. */
type Program = typeof import('./program-exports.ts')

/** The built program, which stands beside this file when that is built too. */
const file = fileURLToPath(new URL('./understudy.cjs', import.meta.url))

const nodeBuild = `${process.version}-${process.arch}-${cachedDataVersionTag().toString(36)}`

/**
 * The program in the form that this very Node compiled it to when it was built: half of a cold start is
 * compiling. Another Node looks for another file, does not find it and compiles for itself.
 */
export const codeFile = file.replace(/cjs$/, `${nodeBuild}.code`)

/** The program, evaluated once for each process. */
export const program: Program = load()

/** Compiles the program, or takes what was compiled before. */
export function compile(cachedCode?: Buffer): Script {
  // The bundler writes ASCII alone.
  return compileModule(readFileSync(file, 'latin1'), file, cachedCode)
}

/** Evaluates the compiled program. */
export function evaluate(script: Script): Program {
  return evaluateModule(script, createRequire(file), file) as Program
}

function load(): Program {
  const cachedCode = readCachedCode()
  return cachedCode === undefined ? createRequire(file)(file) : evaluate(compile(cachedCode))
}

function readCachedCode(): Buffer | undefined {
  try {
    // Node would not notice that the program was changed since.
    return statSync(codeFile).mtimeMs < statSync(file).mtimeMs ? undefined : readFileSync(codeFile)
  } catch {
    return undefined
  }
}
