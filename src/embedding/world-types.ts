import type { WorldInfo } from '../../routes/control/worlds/world-control.ts'
import type { ControlOptions } from '../../state/kernel/options/control-options.ts'
import type { TablesOf } from '../../state/kernel/store/table.ts'
import type { StateDocument } from '../../state/kernel/worlds/document.ts'
import type { MeshFixtures } from '../../state/mesh/fixtures.ts'
import type { MeshOptions } from '../../state/mesh/options.ts'
import type { MeshInfo, meshService } from '../../state/mesh/service.ts'
import type { PlatformFixtures } from '../../state/platform/fixtures.ts'
import type { PlatformOptions } from '../../state/platform/options.ts'
import type { PlatformInfo, platformService } from '../../state/platform/service.ts'
import type { SchedulerFixtures } from '../../state/scheduler/fixtures.ts'
import type { SchedulerOptions } from '../../state/scheduler/options.ts'
import type { SchedulerInfo, schedulerService } from '../../state/scheduler/service.ts'
import type { SecretsFixtures } from '../../state/secrets/fixtures.ts'
import type { SecretsOptions } from '../../state/secrets/options.ts'
import type { SecretsInfo, secretsService } from '../../state/secrets/service.ts'

/** Rows of the secrets service, by table and key; each table documents its keys. */
export interface SecretsTables extends TablesOf<(typeof secretsService.tables)[number]> {}

/** Rows of the platform, by table and key. */
export interface PlatformTables extends TablesOf<(typeof platformService.tables)[number]> {}

/** Rows of the service mesh, by table and key. */
export interface MeshTables extends TablesOf<(typeof meshService.tables)[number]> {}

/** Rows of the scheduler, by table and key. */
export interface SchedulerTables extends TablesOf<(typeof schedulerService.tables)[number]> {}

/** World options by service; omitted options keep their values (behaviour/program#fresh-world). */
export type WorldOptions = {
  readonly secrets?: Readonly<Partial<SecretsOptions>>
  readonly platform?: Readonly<Partial<PlatformOptions>>
  readonly mesh?: Readonly<Partial<MeshOptions>>
  readonly scheduler?: Readonly<Partial<SchedulerOptions>>
  /** Options of the journal and of traces. */
  readonly control?: Readonly<Partial<ControlOptions>>
}

/** World options by service, every default filled in. */
export type AllWorldOptions = {
  readonly secrets: SecretsOptions
  readonly platform: PlatformOptions
  readonly mesh: MeshOptions
  readonly scheduler: SchedulerOptions
  readonly control: ControlOptions
}

/**
 * Initial state: short forms, exact rows, or both. Parts that are left out are as in a fresh world.
 * A table in the document contains all rows that the world gets in this table
 * (behaviour/program#fresh-world).
 */
export type Fixtures = {
  /** Version of the document format; 1 if left out. */
  readonly format?: number
  /** Time, ids and pending work. Exports contain this part; hand-written fixtures rarely do. */
  readonly world?: NonNullable<StateDocument['world']>
  readonly options?: WorldOptions
  readonly secrets?: SecretsFixtures & { readonly tables?: Partial<SecretsTables> }
  readonly platform?: PlatformFixtures & { readonly tables?: Partial<PlatformTables> }
  readonly mesh?: MeshFixtures & { readonly tables?: Partial<MeshTables> }
  readonly scheduler?: SchedulerFixtures & { readonly tables?: Partial<SchedulerTables> }
}

/** Document of a whole world, as `state()` exports it. The document can serve as fixtures. */
export type WorldState = {
  readonly format: number
  readonly world: Required<NonNullable<StateDocument['world']>>
  readonly options: AllWorldOptions
  readonly secrets: { readonly tables: SecretsTables }
  readonly platform: { readonly tables: PlatformTables }
  readonly mesh: { readonly tables: MeshTables }
  readonly scheduler: { readonly tables: SchedulerTables }
}

/** Addresses and credentials that are valid now: `GET /_mock/info`. */
export interface UnderstudyInfo extends WorldInfo {
  readonly services: {
    readonly secrets: SecretsInfo & {
      /** Origin and path prefix of the world; clients append `/v1`. */
      readonly url: string
    }
    readonly platform: PlatformInfo & {
      /** Origin and path prefix of the world; clients append `/api/v2`. */
      readonly url: string
    }
    readonly mesh: MeshInfo & {
      /** Origin and path prefix of the world; clients append `/v1`. */
      readonly url: string
    }
    readonly scheduler: SchedulerInfo & {
      /** Origin and path prefix of the world; clients append `/v1`. */
      readonly url: string
    }
  }
}
