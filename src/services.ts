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

/** API of a service on each kind of listener (behaviour/program#http). */
export interface ServedApi {
  /** API on the combined listener, where some services have only their specified paths. */
  readonly combined: Api
  /** API on a listener of its own. */
  readonly dedicated: Api
}

/** Service with its state, its API and its part of the control plane. */
export interface Service<Name extends string = string> {
  readonly name: Name
  readonly state: ServiceDefinition
  /** Creates the API. Called once per process. */
  api(dialect: DialectName): ServedApi
  /** Environment variables of the product's clients. */
  readonly variables?: ClientVariables
  /** Control plane operations on one world. */
  readonly operations?: readonly Operation<ControlContext>[]
}

/** Returns an API that is equal on every listener. */
function onEveryListener(api: Api): ServedApi {
  return { combined: api, dedicated: api }
}

/** Definitions of the services by name. A new service is added here. */
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
      // Clients of the platform trust the certificates of the system.
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

/** Services in the order of the ready line. */
export const services: readonly Service<ApiName>[] = apiNames.map((name) => ({
  name,
  ...definitions[name],
}))

/** Returns the variables of the services' clients, by service name. */
export function clientVariablesOf(
  served: readonly Service[],
): ReadonlyMap<string, ClientVariables> {
  return new Map(
    served.flatMap(({ name, variables }) =>
      variables === undefined ? [] : [[name, variables] as const],
    ),
  )
}
