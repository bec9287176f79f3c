import type { ClientVariables } from '../routes/control/worlds/environment.ts'
import type { Preset } from '../routes/faults/declare/preset.ts'
import type { Api } from '../routes/http/api.ts'
import type { ControlPartClass, PartContext } from '../routes/http/declare/control-call.ts'
import type { DialectName } from '../routes/http/declare/dialect.ts'
import type { Operation } from '../routes/http/declare/operation.ts'
import { MeshControl, meshCalls } from '../routes/mesh/control/mesh-control.ts'
import { meshApi } from '../routes/mesh/index.ts'
import { meshPresets } from '../routes/mesh/presets/mesh-presets.ts'
import { PlatformControl, platformCalls } from '../routes/platform/control/platform-control.ts'
import { platformApi } from '../routes/platform/index.ts'
import { platformPresets } from '../routes/platform/presets/platform-presets.ts'
import type { LeftBehind } from '../routes/report/report.ts'
import { schedulerCalls } from '../routes/scheduler/control/scheduler-calls.ts'
import { SchedulerControl } from '../routes/scheduler/control/scheduler-control.ts'
import { schedulerApi } from '../routes/scheduler/index.ts'
import { schedulerPresets } from '../routes/scheduler/presets/scheduler-presets.ts'
import { CloudControl, cloudCalls } from '../routes/secrets/control/cloud-control.ts'
import { DatabasesControl, databasesCalls } from '../routes/secrets/control/databases-control.ts'
import {
  OrchestratorControl,
  orchestratorCalls,
} from '../routes/secrets/control/orchestrator-control.ts'
import { SecretsControl } from '../routes/secrets/control/secrets-control.ts'
import { secretsApi } from '../routes/secrets/index.ts'
import { secretsPresets } from '../routes/secrets/presets/secrets-presets.ts'
import type { StoreSnapshot } from '../state/kernel/store/open-table.ts'
import type { ServiceDefinition } from '../state/kernel/worlds/service.ts'
import type { World } from '../state/kernel/worlds/world.ts'
import type { AgentFiles } from '../state/mesh/file-definitions.ts'
import { meshService } from '../state/mesh/service.ts'
import { vendorPlatformOptions } from '../state/platform/options.ts'
import { platformService } from '../state/platform/service.ts'
import { schedulerService } from '../state/scheduler/service.ts'
import { vendorSecretsOptions } from '../state/secrets/options.ts'
import { secretsService } from '../state/secrets/service.ts'
import { findUnrevoked } from '../state/secrets/unrevoked.ts'
import { type ApiName, apiNames } from './api-names.ts'
import { clientVariables } from './client-variables.ts'

/** API of a service on each kind of listener (behaviour/program#http). */
export interface ServedApi {
  /** API on the combined listener, where some services serve only their specified paths. */
  readonly combined: Api
  /** API on a listener of its own. */
  readonly dedicated: Api
}

/** Settings of the process that are defaults for options of worlds. */
export interface SharedSettings {
  readonly dialect: DialectName
  readonly rootToken?: string | undefined
  /** True if mesh and scheduler enforce ACLs. */
  readonly acl?: boolean | undefined
  /** True if the platform refuses requests above its rate limit. */
  readonly rateLimit?: boolean | undefined
}

/** Service with its state, its API and its part of the control plane. */
export interface Service<Name extends string = string> {
  readonly name: Name
  /** Products that the API mocks. */
  readonly products?: string
  readonly state: ServiceDefinition
  /** Creates the API. Called once per process. */
  api(dialect: DialectName): ServedApi
  /** Environment variables of the product's clients. */
  readonly variables?: ClientVariables
  /** Headers that carry tokens, in lower case, for the log to redact. */
  readonly tokenHeaders?: readonly string[]
  /** Returns the world options that follow from the settings of the process. */
  sharedOptions?(settings: SharedSettings): object
  /** Calls of the control plane on one world. */
  readonly controlCalls?: readonly Operation<PartContext>[]
  /** Presets for failures that the product has. */
  readonly presets?: readonly Preset[]
  /** Returns the credentials that clients have received since a snapshot and have not revoked. */
  findLeftBehind?(world: World, since: StoreSnapshot): LeftBehind
}

/** Returns the same API for the combined listener and for a dedicated one. */
function sameOnEveryListener(api: Api): ServedApi {
  return { combined: api, dedicated: api }
}

const aclOptions = ({ acl = false }: SharedSettings) => (acl ? { aclEnabled: true } : {})

function meshApis(dialect: DialectName, files?: AgentFiles): ServedApi {
  return {
    combined: meshApi({ dialect, isDedicated: false, files }),
    dedicated: meshApi({ dialect, isDedicated: true, files }),
  }
}

/** Returns the services. The mesh gets the configuration files that its agent can reload. */
export function servicesWithFiles(files: AgentFiles): readonly Service[] {
  return services.map((service) =>
    service.name === 'mesh' ? { ...service, api: (dialect) => meshApis(dialect, files) } : service,
  )
}

/** Definitions of the services by name. Add a new service here. */
const definitions: Readonly<Record<ApiName, Omit<Service, 'name'>>> = {
  secrets: {
    products: 'Vault, OpenBao',
    state: secretsService,
    tokenHeaders: ['x-secrets-token', 'x-vault-token'],
    sharedOptions: ({ dialect, rootToken }) => ({
      ...(dialect === 'vendor' ? vendorSecretsOptions : {}),
      ...(rootToken === undefined ? {} : { rootToken }),
    }),
    api: (dialect) => sameOnEveryListener(secretsApi({ dialect })),
    variables: clientVariables.secrets,
    controlCalls: [...cloudCalls, ...orchestratorCalls, ...databasesCalls],
    presets: secretsPresets,
    findLeftBehind: findUnrevoked,
  },
  platform: {
    products: 'Terraform Enterprise',
    state: platformService,
    sharedOptions: ({ dialect, rateLimit = false }) => ({
      ...(dialect === 'vendor' ? vendorPlatformOptions : {}),
      ...(rateLimit ? { enforceRateLimit: true } : {}),
    }),
    api: (dialect) => sameOnEveryListener(platformApi({ dialect })),
    variables: clientVariables.platform,
    controlCalls: platformCalls,
    presets: platformPresets,
  },
  mesh: {
    products: 'Consul',
    state: meshService,
    tokenHeaders: ['x-mesh-token', 'x-consul-token'],
    sharedOptions: aclOptions,
    api: (dialect) => meshApis(dialect),
    variables: clientVariables.mesh,
    controlCalls: meshCalls,
    presets: meshPresets,
  },
  scheduler: {
    products: 'Nomad',
    state: schedulerService,
    tokenHeaders: ['x-sched-token', 'x-scheduler-token', 'x-nomad-token'],
    sharedOptions: aclOptions,
    api: (dialect) => ({
      combined: schedulerApi({ dialect, isDedicated: false }),
      dedicated: schedulerApi({ dialect, isDedicated: true }),
    }),
    variables: clientVariables.scheduler,
    controlCalls: schedulerCalls,
    presets: schedulerPresets,
  },
}

/**
 * Controls of an embedded world. Each key is the name of the world's property that returns the
 * control.
 */
export interface WorldParts {
  readonly secrets: SecretsControl
  readonly cloud: CloudControl
  readonly orchestrator: OrchestratorControl
  readonly databases: DatabasesControl
  readonly platform: PlatformControl
  readonly mesh: MeshControl
  readonly scheduler: SchedulerControl
}

/** API that cloud identities log in to. */
export const cloudApi: ApiName = 'secrets'

export const worldParts: {
  readonly [Name in keyof WorldParts]: ControlPartClass<WorldParts[Name]>
} = {
  secrets: SecretsControl,
  cloud: CloudControl,
  orchestrator: OrchestratorControl,
  databases: DatabasesControl,
  platform: PlatformControl,
  mesh: MeshControl,
  scheduler: SchedulerControl,
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

export function presetsOf(served: readonly Service[]): readonly Preset[] {
  return served.flatMap(({ presets = [] }) => presets)
}

/**
 * Returns a function that finds the credentials that clients have left behind, in all of these
 * services.
 */
export function leftBehindFinder(served: readonly Service[]) {
  return (world: World, since: StoreSnapshot): LeftBehind => {
    const found = served.flatMap((service) => service.findLeftBehind?.(world, since) ?? [])
    return {
      tokens: found.flatMap(({ tokens }) => tokens),
      leases: found.flatMap(({ leases }) => leases),
    }
  }
}
