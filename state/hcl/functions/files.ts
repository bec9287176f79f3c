import { FunctionError, type HclFunction } from '../language/function.ts'
import { type FunctionTable, parameter } from './arguments.ts'

const disabledPathFunction = disabledFunction('path')

/**
 * HCL functions for files and paths on the server. Calls always fail, because jobs may not read
 * these files (behaviour/scheduler#functions).
 */
export const fileFunctions: FunctionTable = {
  abspath: disabledPathFunction,
  basename: disabledPathFunction,
  dirname: disabledPathFunction,
  file: disabledPathFunction,
  filebase64: disabledPathFunction,
  fileexists: disabledPathFunction,
  fileset: disabledFunction('path', 'pattern'),
  pathexpand: disabledPathFunction,
}

function disabledFunction(...names: readonly string[]): HclFunction {
  return {
    parameters: names.map((name) => parameter(name, 'string')),
    run() {
      throw new FunctionError('filesystem function disabled')
    },
  }
}
