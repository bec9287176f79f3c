import { type Coverage, coverageOf, type ServiceCoverage } from '../routes/control/coverage.ts'
import type { controlOperations } from '../routes/control/operations.ts'
import type { JsonSchema } from '../state/kernel/schema.ts'
import type { ServedApi } from './services.ts'
import { packageInfo } from './version.ts'

/** The APIs of a server as they describe themselves: operations, choices and documents. */
export class ApiCatalog {
  readonly #apis: ReadonlyMap<string, ServedApi>
  readonly #operations: ReturnType<typeof controlOperations>

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
    return coverageOf(this.services(), this.#operations, name)
  }

  /** Describes one of the APIs, whole and in the dialect spoken; undefined for one that there is not. */
  openApi(service: string): JsonSchema | undefined {
    return this.#apis.get(service)?.dedicated.openApi?.(packageInfo().version)
  }

  /** The operations and choices of each API. */
  services(): readonly ServiceCoverage[] {
    return [...this.#apis].map(([name, { dedicated }]) => {
      const { operations, choices } = dedicated.coverage?.() ?? { operations: [], choices: [] }
      return { name, served: dedicated.coverage !== undefined, operations, choices }
    })
  }
}
