import type { ClockSetting } from '../time/clock.ts'
import type { Assembly } from './assembly.ts'
import type { StateDocument } from './document.ts'
import type { ServiceDefinitionOf } from './service-definition.ts'
import type { WorldSnapshot } from './world-snapshot.ts'

/** The settings of a world. */
export interface WorldSettingsOf<W> {
  readonly id: string
  readonly services: readonly ServiceDefinitionOf<W>[]
  /** The same services put together, where several worlds share that. */
  readonly assembly?: Assembly<W> | undefined
  /** Where the ids begin. May be left out with `from`: then they go on from there. */
  readonly seed?: string | undefined
  /** Seed of fingerprints where `seed` is left out; default: the id. */
  readonly fallbackSeed?: string | undefined
  readonly clock?: ClockSetting | undefined
  /** Options by service that differ from the defaults; already checked. */
  readonly options?: Readonly<Record<string, object>> | undefined
  /** Fixtures or an exported state, laid over the services' seeds; already checked. */
  readonly document?: StateDocument | undefined
  /** Told of each part of the document as it is loaded. */
  readonly onPartLoaded?: (() => void) | undefined
  /** Start as a copy of this instead of from the services' seeds. */
  readonly from?: WorldSnapshot | undefined
  /** Rows changed in place throw: for tests. */
  readonly freezeRows?: boolean | undefined
  /** Told of an exception that nobody is waiting for: in a job, or in a reader when the world ends. */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Told when it has gone to another state. */
  readonly onReplaced?: ((change: 'reset' | 'restored') => void) | undefined
}
