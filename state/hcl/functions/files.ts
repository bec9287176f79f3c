import { FunctionError, type HclFunction } from '../language/function.ts'
import { type FunctionTable, parameter } from './arguments.ts'

const pathParameters = disabledFunction('path')

/**
 * Functions of files and paths of the server. Calls always fail, because jobs may not read these
 * files (behaviour/scheduler#functions).
 */
export const fileFunctions: FunctionTable = {
  abspath: pathParameters,
  basename: pathParameters,
  dirname: pathParameters,
  file: pathParameters,
  filebase64: pathParameters,
  fileexists: pathParameters,
  fileset: disabledFunction('path', 'pattern'),
  pathexpand: pathParameters,
}

function disabledFunction(...names: readonly string[]): HclFunction {
  return {
    parameters: names.map((name) => parameter(name, 'string')),
    run() {
      throw new FunctionError('filesystem function disabled')
    },
  }
}
