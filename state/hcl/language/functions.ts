import { type FunctionTable, normalize } from '../functions/arguments.ts'
import { dateFunctions } from '../functions/dates.ts'
import { encodingFunctions } from '../functions/encoding.ts'
import { fileFunctions } from '../functions/files.ts'
import { formatFunctions } from '../functions/format.ts'
import { hashFunctions } from '../functions/hashes.ts'
import { jsonFunctions } from '../functions/json.ts'
import { listFunctions } from '../functions/lists.ts'
import { mapFunctions } from '../functions/maps.ts'
import { networkFunctions } from '../functions/network.ts'
import { numericFunctions } from '../functions/numeric.ts'
import { setFunctions } from '../functions/sets.ts'
import { stringFunctions } from '../functions/strings.ts'
import { yamlFunctions } from '../functions/yaml.ts'
import type { HclFunction } from './function.ts'

const families: readonly FunctionTable[] = [
  dateFunctions,
  encodingFunctions,
  fileFunctions,
  formatFunctions,
  hashFunctions,
  jsonFunctions,
  listFunctions,
  mapFunctions,
  networkFunctions,
  numericFunctions,
  setFunctions,
  stringFunctions,
  yamlFunctions,
]

/**
 * Functions of the configuration language (behaviour/scheduler#functions), except for `try`, `can`
 * and `convert`, whose arguments are not evaluated first. `bcrypt` and `rsadecrypt` are left out.
 */
export const hclFunctions: ReadonlyMap<string, HclFunction> = new Map(
  families.flatMap((family) =>
    Object.entries(family).map(
      ([name, declared]) => [name, withNormalizedResult(declared)] as const,
    ),
  ),
)

/**
 * Wraps a function so that it returns strings in Unicode's composed form, which all strings of the
 * language have.
 */
function withNormalizedResult(declared: HclFunction): HclFunction {
  return {
    ...declared,
    run(args, context) {
      const result = declared.run(args, context)
      return typeof result === 'string' ? normalize(result) : result
    },
  }
}
