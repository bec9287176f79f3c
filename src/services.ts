import type { Api, ApiName } from '../routes/http/api.ts'
import type { DialectName } from '../routes/http/dialect.ts'
import { meshApi } from '../routes/mesh/index.ts'
import { platformApi } from '../routes/platform/index.ts'
import { schedulerApi } from '../routes/scheduler/index.ts'
import { secretsApi } from '../routes/secrets/index.ts'
import type { ServiceDefinition } from '../state/kernel/service.ts'
import { meshService } from '../state/mesh/service.ts'
import { platformService } from '../state/platform/service.ts'
import { schedulerService } from '../state/scheduler/service.ts'
import { secretsService } from '../state/secrets/service.ts'

/** The services that every world has. */
export const services: readonly ServiceDefinition[] = [
  secretsService,
  platformService,
  meshService,
  schedulerService,
]

/** The APIs in the order of the ready line. */
export const apiNames: readonly ApiName[] = ['secrets', 'platform', 'mesh', 'scheduler']

/** The APIs of one process. */
export interface ProcessApis {
  /** Those of the combined listener, where mesh and scheduler have the specification's paths only. */
  readonly combined: readonly Api[]
  /** Each as it is on a listener of its own. */
  readonly dedicated: Readonly<Record<ApiName, Api>>
}

/** Makes the APIs of one process (DESIGN section 3). */
export function createApis(dialect: DialectName): ProcessApis {
  const secrets = secretsApi({ dialect })
  const platform = platformApi({ dialect })
  return {
    combined: [
      secrets,
      platform,
      meshApi({ dialect, dedicated: false }),
      schedulerApi({ dialect, dedicated: false }),
    ],
    dedicated: {
      secrets,
      platform,
      mesh: meshApi({ dialect, dedicated: true }),
      scheduler: schedulerApi({ dialect, dedicated: true }),
    },
  }
}
