import type { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import type { FaultInjector } from '../../faults/fault-injector.ts'
import type { Validator } from '../../http/declare/validate.ts'
import type { Journals } from '../../journal/journal.ts'
import type { DocumentedStatuses } from '../../report/documented-statuses.ts'
import type { Ports } from './addresses.ts'
import type { ClientVariables } from './environment.ts'
import type { WorldListeners } from './listeners.ts'

/** The process's facts about itself; what it listens on may be known late. */
export interface ProcessDescription {
  readonly name: string
  readonly version: string
  readonly dialect: string
  readonly ports: Ports
}

/** Parts that every world's control shares. */
export interface ControlDependencies {
  readonly worlds: Worlds
  /** The faults that the worlds' requests meet. */
  readonly faults: FaultInjector
  /** What the worlds' requests are noted in. */
  readonly journals: Journals
  readonly validator: Validator
  readonly describe: () => ProcessDescription
  /** The statuses that operations are documented with; left out, none is known. */
  readonly documented?: DocumentedStatuses | undefined
  /** The worlds' own listeners; left out, no world can have any. */
  readonly listeners?: WorldListeners | undefined
  /** What clients read, by API, and the file of the authority that they trust under TLS. */
  readonly variables?: ReadonlyMap<string, ClientVariables> | undefined
  readonly caFile?: string | undefined
}
