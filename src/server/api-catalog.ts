import { type Choices, choicesDocument, parseChoices } from '../../routes/control/choices.ts'
import { type Coverage, coverageOf } from '../../routes/control/coverage.ts'
import type { controlOperations } from '../../routes/control/operations.ts'
import { memoize } from '../../state/kernel/memoize.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import { readPackedFile } from '../packed-files.ts'
import type { ServedApi } from '../services.ts'
import { packageInfo } from '../version.ts'

/** The APIs of a server as they describe themselves: operations, choices and documents. */
export class ApiCatalog {
  readonly #apis: ReadonlyMap<string, ServedApi>
  readonly #operations: ReturnType<typeof controlOperations>
  readonly #choices = memoize(readChoices)

  /** @param operations the control plane's own */
  constructor(
    apis: ReadonlyMap<string, ServedApi>,
    operations: ReturnType<typeof controlOperations>,
  ) {
    this.#apis = apis
    this.#operations = operations
  }

  /** Every operation and named choice with its evidence; of one API alone where one is named. */
  coverage(name?: string): Coverage {
    const apis = [...this.#apis].map(([api, { dedicated }]) => ({
      name: api,
      served: dedicated.coverage !== undefined,
      operations: dedicated.coverage?.().operations ?? [],
    }))
    return coverageOf(apis, this.#operations, this.#choices(), name)
  }

  /** Describes one of the APIs, whole and in the dialect spoken; undefined for one that there is not. */
  openApi(service: string): JsonSchema | undefined {
    return this.#apis.get(service)?.dedicated.openApi?.(packageInfo().version)
  }
}

/** Reads the named choices: beside the built program, or, among the sources, where people read them. */
function readChoices(): Choices {
  return parseChoices(
    (readPacked('./choices.md') ?? readPackedFile(`../${choicesDocument}`)).toString(),
  )
}

function readPacked(path: string): Buffer | undefined {
  try {
    return readPackedFile(path)
  } catch {
    return undefined
  }
}
