import { isIP } from 'node:net'
import { isEqual } from '../../kernel/equality.ts'
import type { Json } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { storedAddresses } from '../catalog/tagged-addresses.ts'
import { message, refuse } from '../messages.ts'
import { agentCheckOf, checkProblem, isCheckStatus, requireSupported } from './check-input.ts'
import type { CheckTypeInput, ServiceDefinitionInput } from './definitions.ts'
import {
  agentChecksOf,
  agentService,
  putAgentCheck,
  putAgentService,
  removeAgentCheck,
} from './registry.ts'
import { type AgentCheck, type AgentService, agentServices } from './tables.ts'

/**
 * The stored form of a registration: a service, its checks, and the registration of its sidecar.
 */
interface ServiceRegistration {
  readonly service: AgentService
  readonly checks: readonly AgentCheck[]
  readonly sidecar: ServiceRegistration | undefined
}

/**
 * Throws a refusal for the first error of a registration, in the reference's order of tests
 * (behaviour/mesh#agent-services).
 *
 * @param product name of the product; metadata keys must not begin with `<product>-`
 */
export function validateService(input: ServiceDefinitionInput, product: string): void {
  const { Name = '', Address = '', Meta = {} } = input
  if (Name === '') throw refuse('service-unsaid')
  if (isAnyAddress(Address)) throw refuse('service-address-invalid')
  const { Passing = 0, Warning = 0 } = input.Weights ?? { Passing: 1, Warning: 1 }
  if (Passing < 1) throw refuse('service-weight-of-passing')
  if (Passing > 65_535 || Warning < 0 || Warning > 65_535) throw refuse('service-weight')
  const problem = metaProblem(Meta, product)
  if (problem !== undefined) throw refuse('service-meta-invalid', { problem })
  const problems = validationProblems(input)
  if (problems.length > 0) {
    const heading = problems.length === 1 ? '1 error' : `${problems.length} errors`
    const lines = problems.map((each) => `\t* ${each}\n`).join('')
    throw refuse('service-validation', { heading, lines })
  }
  const checks = checksOf(input)
  for (const check of checks) {
    const reason = checkProblem(check)
    if (reason !== undefined) throw refuse('check-invalid', { reason })
  }
  if (!checks.every(({ Status }) => isCheckStatus(Status))) throw refuse('service-check-status')
}

/** Returns whether an address is a wildcard such as 0.0.0.0, to which clients cannot connect. */
export function isAnyAddress(address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === '[::]'
}

/**
 * Returns the first error of metadata; undefined if there is none.
 *
 * @param product name of the product; keys must not begin with `<product>-`. If undefined, no
 *   prefix is reserved
 */
export function metaProblem(
  meta: Readonly<Record<string, string>>,
  product: string | undefined,
): Message | undefined {
  const pairs = Object.entries(meta)
  if (pairs.length > 64) return message('meta-too-many')
  for (const [key, value] of pairs) {
    const problem = pairProblem(key, value, product)
    if (problem !== undefined) return message('meta-pair', { key, value, problem })
  }
  return undefined
}

function pairProblem(key: string, value: string, product: string | undefined): Message | undefined {
  if (key === '') return message('meta-key-blank')
  if (!/^[A-Za-z0-9_-]+$/.test(key)) return message('meta-key-invalid')
  if (Buffer.byteLength(key) > 128) return message('meta-key-long')
  if (product !== undefined && key.toLowerCase().startsWith(`${product}-`)) {
    return message('meta-key-reserved', { product })
  }
  return Buffer.byteLength(value) > 512 ? message('meta-value-long') : undefined
}

function validationProblems(input: ServiceDefinitionInput): readonly string[] {
  const { Kind, Port = 0, SocketPath = '', Proxy: proxy = {}, Connect = {}, Locality = {} } = input
  const hasPort = Port !== 0 || SocketPath !== ''
  const problems: string[] = []
  if (Kind === 'connect-proxy') {
    if (!proxy.DestinationServiceName) {
      problems.push('Proxy.DestinationServiceName must be non-empty for Connect proxy services')
    }
    if (!hasPort) problems.push('Port or SocketPath must be set for a connect-proxy')
  }
  if (Connect.Native === true && !hasPort) {
    problems.push('Port or SocketPath must be set for a Connect native service.')
  }
  if (Locality.Zone && !Locality.Region) problems.push('zone cannot be set without region')
  return problems
}

/** Returns the checks of a registration: `Check` unless it is empty, then `Checks`. */
function checksOf({ Check, Checks = [] }: ServiceDefinitionInput): readonly CheckTypeInput[] {
  return [...(Check === undefined || isEmptyCheck(Check) ? [] : [Check]), ...Checks]
}

function isEmptyCheck({ ServiceID: _, ...check }: CheckTypeInput): boolean {
  return Object.values(check).every(
    (value) => !value || (typeof value === 'object' && Object.keys(value).length === 0),
  )
}

/**
 * Returns the tagged addresses of a service. If the service has an IP address, this address also
 * becomes the LAN address and the WAN address, unless the registration contains them.
 */
function taggedAddresses({ Address = '', Port = 0, TaggedAddresses }: ServiceDefinitionInput) {
  const sent = storedAddresses(TaggedAddresses)
  const family = isIP(Address)
  if (family === 0) return sent
  const own = { Address, Port }
  return { [`lan_ipv${family}`]: own, [`wan_ipv${family}`]: own, ...sent }
}

/**
 * Converts a valid registration to its stored form. Throws a refusal if no port is left for the
 * sidecar.
 */
export function serviceOf(
  world: World,
  input: ServiceDefinitionInput,
  namespace: string,
): ServiceRegistration {
  const { Name = '', Weights, Connect, Locality, Token } = input
  const ID = input.ID || Name
  const service: AgentService = {
    namespace,
    id: ID,
    name: Name,
    kind: input.Kind ?? '',
    tags: [...(input.Tags ?? [])],
    address: input.Address ?? '',
    tagged_addresses: taggedAddresses(input),
    meta: input.Meta ?? null,
    port: input.Port ?? 0,
    socket_path: input.SocketPath ?? '',
    weights: Weights
      ? { Passing: Weights.Passing ?? 0, Warning: Weights.Warning ?? 0 }
      : defaultWeights,
    enable_tag_override: input.EnableTagOverride ?? false,
    proxy: { ...(input.Proxy as Readonly<Record<string, Json>> | undefined) },
    connect: Connect?.Native === true ? { Native: true } : {},
    ...(Locality !== undefined && { locality: { ...Locality } }),
    ...(Token && { token: Token }),
  }
  const checks = checksOf(input)
  return {
    service,
    checks: checks.map((check, at) => {
      const numberSuffix = checks.length > 1 ? `:${at + 1}` : ''
      const id = check.CheckID || `service:${ID}${numberSuffix}`
      const name = check.Name || `Service '${Name}' check`
      return agentCheckOf(check, { namespace, id, name }, service, '')
    }),
    sidecar:
      Connect?.SidecarService === undefined
        ? undefined
        : sidecarOf(world, service, Connect.SidecarService),
  }
}

const defaultWeights = { Passing: 1, Warning: 1 }

function sidecarOf(
  world: World,
  owner: AgentService,
  input: Omit<ServiceDefinitionInput, 'Connect'>,
): ServiceRegistration {
  const { namespace, id, name, port } = owner
  const ID = `${id}-sidecar-proxy`
  const Port = input.Port || sidecarPortFor(world, namespace, ID)
  const local = { LocalServiceAddress: '127.0.0.1', LocalServicePort: port }
  const proxy = { DestinationServiceName: name, DestinationServiceID: id, ...local }
  const defaults: readonly CheckTypeInput[] = [
    { Name: 'Connect Sidecar Listening', TCP: `127.0.0.1:${Port}`, Interval: 10_000_000_000 },
    { Name: `Connect Sidecar Aliasing ${id}`, AliasService: id },
  ]
  const hasChecks = checksOf(input).length > 0
  const definition = {
    ...input,
    ...{ Kind: 'connect-proxy', ID, Name: input.Name || `${name}-sidecar-proxy`, Port },
    Proxy: { ...proxy, ...input.Proxy },
    ...(!hasChecks && { Checks: [...defaults] }),
  }
  const registration = serviceOf(world, definition, namespace)
  return { ...registration, service: { ...registration.service, sidecar_of: id } }
}

const sidecarPorts = { first: 21_000, last: 21_255 }

/**
 * Returns the port that a sidecar already has, otherwise the first free port. Throws a refusal if
 * all ports are in use.
 */
function sidecarPortFor(world: World, namespace: string, id: string): number {
  const known = agentService(world, namespace, id)?.port
  if (known !== undefined) return known
  const used = new Set([...world.table(agentServices).rows()].map(({ port }) => port))
  for (let port = sidecarPorts.first; port <= sidecarPorts.last; port++) {
    if (!used.has(port)) return port
  }
  throw refuse('sidecar-port-missing')
}

/**
 * Throws a refusal if this agent does not accept the type of one of the checks in a registration.
 */
export function requireSupportedChecks(world: World, input: ServiceDefinitionInput): void {
  for (const check of checksOf(input)) requireSupported(world, check)
}

/**
 * Stores a service with its checks and its sidecar. Existing checks keep their status and output.
 *
 * @param replacesChecks true to remove the checks of the service that are not in the registration
 */
export function registerService(
  world: World,
  { service, checks, sidecar }: ServiceRegistration,
  replacesChecks: boolean,
): void {
  world.write(() => {
    const { namespace, id } = service
    const before = agentService(world, namespace, id)
    if (before === undefined || !isEqual(before, service)) putAgentService(world, service)
    if (replacesChecks) {
      const kept = new Set(checks.map(({ check_id }) => check_id))
      for (const check of agentChecksOf(world, namespace, id)) {
        if (!kept.has(check.check_id)) removeAgentCheck(world, check)
      }
    }
    // If several checks have the same ID, the last one counts.
    const last = new Map(checks.map((check) => [check.check_id, check]))
    for (const check of last.values()) putAgentCheck(world, check)
    if (sidecar !== undefined) registerService(world, sidecar, replacesChecks)
  })
}
