import { Script } from 'node:vm'

/**
 * Compiles a built CommonJS module. With `cachedCode`, V8 reuses the code that was compiled before.
 */
export function compileModule(source: string, file: string, cachedCode?: Buffer): Script {
  return new Script(`(function (exports, require, module, __filename) {${source}\n})`, {
    filename: file,
    ...(cachedCode === undefined ? {} : { cachedData: cachedCode }),
  })
}

/** Evaluates a compiled module like a CommonJS module of Node. Returns its exports. */
export function evaluateModule(
  script: Script,
  require: (name: string) => unknown,
  file: string,
): unknown {
  const module: { exports: unknown } = { exports: {} }
  script.runInThisContext()(module.exports, require, module, file)
  return module.exports
}
