import { FunctionError, type HclFunction } from '../language/function.ts'
import { type FunctionTable, parameter } from './arguments.ts'

const ofPath = disabled('path')

/**
 * Functions of the server's files, none of which jobs may see (behaviour/scheduler#functions).
 */
export const fileFunctions: FunctionTable = {
  abspath: ofPath,
  basename: ofPath,
  dirname: ofPath,
  file: ofPath,
  filebase64: ofPath,
  fileexists: ofPath,
  fileset: disabled('path', 'pattern'),
  pathexpand: ofPath,
}

function disabled(...names: readonly string[]): HclFunction {
  return {
    parameters: names.map((name) => parameter(name, 'string')),
    run() {
      throw new FunctionError('filesystem function disabled')
    },
  }
}
