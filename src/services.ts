import { cloudOperations } from '../routes/control/cloud-operations.ts'
import type { ControlContext } from '../routes/control/context.ts'
import { meshOperations } from '../routes/control/mesh-operations.ts'
import { orchestratorOperations } from '../routes/control/orchestrator-operations.ts'
import { platformOperations } from '../routes/control/platform-operations.ts'
import { schedulerOperations } from '../routes/control/scheduler-operations.ts'
import type { Api } from '../routes/http/api.ts'
import type { DialectName } from '../routes/http/dialect.ts'
import type { Operation } from '../routes/http/operation.ts'
import { meshApi } from '../routes/mesh/index.ts'
import { platformApi } from '../routes/platform/index.ts'
import { schedulerApi } from '../routes/scheduler/index.ts'
import { secretsApi } from '../routes/secrets/index.ts'
import type { ServiceDefinition } from '../state/kernel/service.ts'
import { meshService } from '../state/mesh/service.ts'
import { platformService } from '../state/platform/service.ts'
import { schedulerService } from '../state/scheduler/service.ts'
import { secretsService } from '../state/secrets/service.ts'
import { type ApiName, apiNames } from './api-names.ts'

/** An API as a process serves it (DESIGN section 3). */
export interface ServedApi {
  /** On the combined listener, where some have the specification's paths only. */
  readonly combined: Api
  /** On a listener of its own. */
  readonly dedicated: Api
}

/** One service, whole: what it keeps, how it is asked, and what the control plane offers of it. */
export interface Service<Name extends string = string> {
  readonly name: Name
  readonly state: ServiceDefinition
  /** Called once for each process. */
  api(dialect: DialectName): ServedApi
  /** Of the control plane, about one world. */
  readonly operations?: readonly Operation<ControlContext>[]
}

/** An API that is the same on every listener. */
function everywhere(api: Api): ServedApi {
  return { combined: api, dedicated: api }
}

/** Every service by name; who adds one adds it here. */
const byName: Readonly<Record<ApiName, Omit<Service, 'name'>>> = {
  secrets: {
    state: secretsService,
    api: (dialect) => everywhere(secretsApi({ dialect })),
    operations: [...cloudOperations, ...orchestratorOperations],
  },
  platform: {
    state: platformService,
    api: (dialect) => everywhere(platformApi({ dialect })),
    operations: platformOperations,
  },
  mesh: {
    state: meshService,
    api: (dialect) => ({
      combined: meshApi({ dialect, dedicated: false }),
      dedicated: meshApi({ dialect, dedicated: true }),
    }),
    operations: meshOperations,
  },
  scheduler: {
    state: schedulerService,
    api: (dialect) => ({
      combined: schedulerApi({ dialect, dedicated: false }),
      dedicated: schedulerApi({ dialect, dedicated: true }),
    }),
    operations: schedulerOperations,
  },
}

/** The services, in the order of the ready line. */
export const services: readonly Service<ApiName>[] = apiNames.map((name) => ({
  name,
  ...byName[name],
}))
