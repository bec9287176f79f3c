import { createRequire, isBuiltin } from 'node:module'
import { readAsset } from '../packed-files.ts'
import { compileModule, evaluateModule } from './compile-module.ts'

/**
 * Function that loads Node's built-in modules.
 *
 * This module is the entry point of the executable file (`npm run build:executable`,
 * behaviour/program#executable). The file contains all modules of the command, and the program
 * together with its V8 code cache.
 */

const requireFromNode = createRequire(process.execPath)

const loadedModules = new Map<string, unknown>()

loadBundled('cli.cjs')

/** Loads a module by name: a module of Node, or a module in the executable. */
function requireModule(name: string): unknown {
  if (isBuiltin(name)) return requireFromNode(name)
  return loadBundled(name.startsWith('./') ? name.slice(2) : `packages/${name}.cjs`)
}

function loadBundled(name: string): unknown {
  if (loadedModules.has(name)) return loadedModules.get(name)
  // Latin-1 is sufficient, because the bundler writes only ASCII.
  const source = readAsset(name)?.toString('latin1')
  if (source === undefined) throw new Error(`the executable has no ${name}`)
  const file = `${process.execPath}/${name}`
  const script = compileModule(source, file, readAsset(name.replace(/cjs$/, 'code')))
  const exported = evaluateModule(script, requireModule, file)
  loadedModules.set(name, exported)
  return exported
}
