import { type Choices, choicesDocument, parseChoices } from '../../routes/control/choices.ts'
import { type Coverage, coverageOf } from '../../routes/control/coverage.ts'
import type { controlOperations } from '../../routes/control/operations.ts'
import type { OperationStatuses } from '../../routes/http/openapi/operation-statuses.ts'
import type { RequestNames } from '../../routes/journal/request-names.ts'
import { memoize } from '../../state/kernel/memoize.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import { readPackedFile } from '../packed-files.ts'
import type { ServedApi } from '../services.ts'
import { packageInfo } from '../version.ts'

/** Self-descriptions of a server's APIs: operations, choices and documents. */
export class ApiCatalog {
  readonly #apis: ReadonlyMap<string, ServedApi>
  readonly #operations: ReturnType<typeof controlOperations>
  readonly #choices = memoize(readChoices)

  /**
   * @param operations operations of the control plane
   */
  constructor(
    apis: ReadonlyMap<string, ServedApi>,
    operations: ReturnType<typeof controlOperations>,
  ) {
    this.#apis = apis
    this.#operations = operations
  }

  /**
   * Returns the list of operations and choices, each with its evidence, that `/_mock/coverage`
   * returns. With a name, returns the part of the list about this API.
   */
  coverage(name?: string): Coverage {
    const apis = [...this.#apis].map(([api, { dedicated }]) => ({
      name: api,
      served: dedicated.coverage !== undefined,
      operations: dedicated.coverage?.().operations ?? [],
    }))
    return coverageOf(apis, this.#operations, this.#choices(), name)
  }

  /** Returns the operation ids of each API, by API name. */
  readonly requestNames: RequestNames = memoize(
    () =>
      new Map(
        [...this.#apis].map(([name, { dedicated }]) => [
          name,
          dedicated.coverage?.().operations.map(({ id }) => id) ?? [],
        ]),
      ),
  )

  /**
   * Returns the OpenAPI document of an API in the server's dialect; undefined for an unknown API.
   */
  openApi(service: string): JsonSchema | undefined {
    return this.#apis.get(service)?.dedicated.openApi?.(packageInfo().version)
  }

  /** Returns the statuses that an API's OpenAPI document lists; undefined for an unknown API. */
  statuses(service: string): OperationStatuses | undefined {
    return this.#apis.get(service)?.dedicated.statuses?.()
  }
}

/** Reads the named choices from the built program or, in a source tree, from `choicesDocument`. */
function readChoices(): Choices {
  return parseChoices(
    (readPackedIfPresent('./choices.md') ?? readPackedFile(`../${choicesDocument}`)).toString(),
  )
}

function readPackedIfPresent(path: string): Buffer | undefined {
  try {
    return readPackedFile(path)
  } catch {
    return undefined
  }
}
