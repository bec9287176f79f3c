import { cloudOperations } from '../routes/control/cloud-operations.ts'
import type { ControlContext } from '../routes/control/context.ts'
import { meshOperations } from '../routes/control/mesh-operations.ts'
import { orchestratorOperations } from '../routes/control/orchestrator-operations.ts'
import { platformOperations } from '../routes/control/platform-operations.ts'
import { schedulerOperations } from '../routes/control/scheduler-operations.ts'
import type { ClientVariables } from '../routes/control/worlds/environment.ts'
import type { Api } from '../routes/http/api.ts'
import type { DialectName } from '../routes/http/declare/dialect.ts'
import type { Operation } from '../routes/http/declare/operation.ts'
import { meshApi } from '../routes/mesh/index.ts'
import { platformApi } from '../routes/platform/index.ts'
import { schedulerApi } from '../routes/scheduler/index.ts'
import { secretsApi } from '../routes/secrets/index.ts'
import type { ServiceDefinition } from '../state/kernel/worlds/service.ts'
import { type MeshInfo, meshService } from '../state/mesh/service.ts'
import { type PlatformInfo, platformService } from '../state/platform/service.ts'
import { type SchedulerInfo, schedulerService } from '../state/scheduler/service.ts'
import { type SecretsInfo, secretsService } from '../state/secrets/service.ts'
import { type ApiName, apiNames } from './api-names.ts'

/** An API as a process serves it (behaviour/program#http). */
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
  /** What clients of its product read. */
  readonly variables?: ClientVariables
  /** Of the control plane, about one world. */
  readonly operations?: readonly Operation<ControlContext>[]
}

/** An API that is the same on every listener. */
function onEveryListener(api: Api): ServedApi {
  return { combined: api, dedicated: api }
}

/** Every service by name; who adds one adds it here. */
const definitions: Readonly<Record<ApiName, Omit<Service, 'name'>>> = {
  secrets: {
    state: secretsService,
    api: (dialect) => onEveryListener(secretsApi({ dialect })),
    variables: {
      urls: ['VAULT_ADDR', 'BAO_ADDR'],
      tokens: ['VAULT_TOKEN', 'BAO_TOKEN'],
      authorities: ['VAULT_CACERT', 'BAO_CACERT'],
      token: (info: SecretsInfo) => info.token,
    },
    operations: [...cloudOperations, ...orchestratorOperations],
  },
  platform: {
    state: platformService,
    api: (dialect) => onEveryListener(platformApi({ dialect })),
    variables: {
      urls: ['TFE_ADDRESS'],
      hosts: ['TFE_HOSTNAME'],
      tokens: ['TFE_TOKEN'],
      // Its clients trust what the system trusts.
      authorities: [],
      token: (info: PlatformInfo) => info.tokens.owner,
    },
    operations: platformOperations,
  },
  mesh: {
    state: meshService,
    api: (dialect) => ({
      combined: meshApi({ dialect, dedicated: false }),
      dedicated: meshApi({ dialect, dedicated: true }),
    }),
    variables: {
      urls: ['CONSUL_HTTP_ADDR'],
      tokens: ['CONSUL_HTTP_TOKEN'],
      authorities: ['CONSUL_CACERT'],
      token: (info: MeshInfo) => info.token,
    },
    operations: meshOperations,
  },
  scheduler: {
    state: schedulerService,
    api: (dialect) => ({
      combined: schedulerApi({ dialect, dedicated: false }),
      dedicated: schedulerApi({ dialect, dedicated: true }),
    }),
    variables: {
      urls: ['NOMAD_ADDR'],
      tokens: ['NOMAD_TOKEN'],
      authorities: ['NOMAD_CACERT'],
      token: (info: SchedulerInfo) => info.token,
    },
    operations: schedulerOperations,
  },
}

/** The services, in the order of the ready line. */
export const services: readonly Service<ApiName>[] = apiNames.map((name) => ({
  name,
  ...definitions[name],
}))

/** The variables that the clients of services read, by the names of these. */
export function clientVariablesOf(
  served: readonly Service[],
): ReadonlyMap<string, ClientVariables> {
  return new Map(
    served.flatMap(({ name, variables }) =>
      variables === undefined ? [] : [[name, variables] as const],
    ),
  )
}
