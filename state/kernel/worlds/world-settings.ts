import type { ClockSetting } from '../time/clock.ts'
import type { Assembly } from './assembly.ts'
import type { StateDocument } from './document.ts'
import type { ServiceDefinitionOf } from './service-definition.ts'
import type { WorldSnapshot } from './world-snapshot.ts'

/** Settings of a new world. `W` is the type of the world, as in `ServiceDefinitionOf`. */
export interface WorldSettingsOf<W> {
  readonly id: string
  readonly services: readonly ServiceDefinitionOf<W>[]
  /** The services, prepared for several worlds; if left out, the world prepares them itself. */
  readonly assembly?: Assembly<W> | undefined
  /**
   * Seed of the id generator and of fingerprints. If the seed is left out, the ids continue from
   * the snapshot `from`. Without `from`, the world's id is the seed.
   */
  readonly seed?: string | undefined
  /** Seed of fingerprints if `seed` is left out; by default the world's id. */
  readonly fallbackSeed?: string | undefined
  readonly clock?: ClockSetting | undefined
  /** Options by service that differ from the defaults; already validated. */
  readonly options?: Readonly<Record<string, object>> | undefined
  /** Fixtures or an exported state, loaded after the services' seeds; already validated. */
  readonly document?: StateDocument | undefined
  /** Called after each part of the document's short forms. */
  readonly onPartLoaded?: (() => void) | undefined
  /** Snapshot to start from instead of the services' seeds. */
  readonly from?: WorldSnapshot | undefined
  /** Id of the world or snapshot that `from` was taken from. */
  readonly origin?: string | undefined
  /** True if rows are frozen, so that changing a row in place throws; for tests. */
  readonly freezeRows?: boolean | undefined
  /**
   * Called with an exception that no caller can catch: from a job, or from a reader that the end of
   * the world wakes.
   */
  readonly onError?: ((error: unknown) => void) | undefined
  /** Called after a reset or after a restore from a snapshot. */
  readonly onReplaced?: ((change: 'reset' | 'restored') => void) | undefined
}
