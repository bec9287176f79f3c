import { formatGoDuration, MILLISECOND } from '../../go/duration.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { message, refuse } from '../messages.ts'
import { optionsOf } from '../options.ts'
import type { CheckDefinitionInput, CheckTypeInput } from './definitions.ts'
import type { AgentCheck, AgentService, CheckCall } from './tables.ts'

/** A check in a registration, either as part of a service or on its own. */
type CheckInput = Omit<CheckTypeInput, 'CheckID' | 'ServiceID'> | CheckDefinitionInput

const isSet = (value: string | undefined) => value !== undefined && value !== ''
const isAlias = ({ AliasNode, AliasService }: CheckInput) => isSet(AliasNode) || isSet(AliasService)
const isScript = ({ ScriptArgs = [] }: CheckInput) => ScriptArgs.length > 0

/**
 * Returns the first error of a check in the reference's order of tests; undefined if the check is
 * valid (behaviour/mesh#agent-checks).
 */
export function checkProblem(check: CheckInput): Message | undefined {
  const { Interval = 0, TTL = 0, OutputMaxSize = 0 } = check
  const { FailuresBeforeWarning = 0, FailuresBeforeCritical = 0 } = check
  const { HTTP, TCP, UDP, GRPC, H2PING, OSService } = check
  const hasInterval = isScript(check) || [HTTP, TCP, UDP, GRPC, H2PING, OSService].some(isSet)
  if (Interval > 0 && TTL > 0) return message('check-interval-and-ttl')
  if (hasInterval && Interval <= 0) return message('check-interval-missing')
  if (hasInterval && isAlias(check)) return message('check-interval-of-alias')
  if (isAlias(check) && TTL > 0) return message('check-ttl-of-alias')
  if (!hasInterval && !isAlias(check) && TTL <= 0) return message('check-ttl-missing')
  if (OutputMaxSize < 0) return message('check-output-negative')
  if (FailuresBeforeWarning > FailuresBeforeCritical) return message('check-failures-order')
  return undefined
}

const statuses = new Set(['', 'passing', 'warning', 'critical'])

/**
 * Returns whether a registration may set this status of a check; an empty status stands for the
 * default.
 */
export function isCheckStatus(status = ''): boolean {
  return statuses.has(status)
}

/**
 * Returns the type of a check: the first match in the order of the reference; empty if none
 * matches.
 */
function typeOf(check: CheckInput): string {
  const { GRPC, HTTP, TTL = 0, TCP, UDP, DockerContainerID, H2PING, OSService } = check
  const types: readonly (readonly [boolean, string])[] = [
    [isSet(GRPC), 'grpc'],
    [isSet(HTTP), 'http'],
    [TTL > 0, 'ttl'],
    [isSet(TCP), 'tcp'],
    [isSet(UDP), 'udp'],
    [isAlias(check), 'alias'],
    [isScript(check) && isSet(DockerContainerID), 'docker'],
    [isScript(check), 'script'],
    [isSet(H2PING), 'h2ping'],
    [isSet(OSService), 'os_service'],
  ]
  return types.find(([fits]) => fits)?.[1] ?? ''
}

/**
 * Throws a refusal for a valid check that this agent does not accept. Script and docker checks are
 * accepted only if `scriptChecks` is on; checks of operating system services are never accepted.
 */
export function requireSupported(world: World, check: CheckInput): void {
  const type = typeOf(check)
  if (['script', 'docker'].includes(type) && !optionsOf(world).scriptChecks) {
    throw refuse('check-scripts-disabled')
  }
  if (type === 'os_service') throw refuse('check-not-implemented')
}

const toMilliseconds = (nanoseconds: number) => Math.ceil(nanoseconds / MILLISECOND)

/** Minimum interval between calls of a check, in milliseconds. */
const minInterval = 1_000
/** Default timeout of a call, in milliseconds. */
const callTimeout = 10_000

/**
 * Returns the call that determines the status of an HTTP or TCP check; undefined for other types.
 */
function callOf(check: CheckInput): CheckCall | undefined {
  const { HTTP = '', TCP = '', ProxyHTTP = '', Interval = 0, Timeout = 0 } = check
  const type = typeOf(check)
  if (type !== 'http' && type !== 'tcp') return undefined
  return {
    kind: type,
    target: type === 'http' ? ProxyHTTP || HTTP : TCP,
    method: check.Method || 'GET',
    headers: check.Header ?? {},
    body: check.Body ?? '',
    follows_redirects: check.DisableRedirects !== true,
    uses_tls: check.TCPUseTLS ?? false,
    server_name: check.TLSServerName ?? '',
    skips_verification: check.TLSSkipVerify ?? false,
    interval: Math.max(minInterval, toMilliseconds(Interval)),
    timeout: Timeout > 0 ? toMilliseconds(Timeout) : callTimeout,
    successes_before_passing: check.SuccessBeforePassing ?? 0,
    failures_before_warning: check.FailuresBeforeWarning ?? 0,
    failures_before_critical: check.FailuresBeforeCritical ?? 0,
  }
}

/**
 * Converts a check in a registration to its stored form.
 *
 * @param service the service of the check; undefined for a check of the node
 * @param zeroText text to store for a duration that was not sent
 */
export function agentCheckOf(
  check: CheckInput,
  identity: { readonly namespace: string; readonly id: string; readonly name: string },
  service: AgentService | undefined,
  zeroText: '' | '0s',
): AgentCheck {
  const { Interval = 0, Timeout = 0, TTL = 0, AliasNode, AliasService = '' } = check
  const { DeregisterCriticalServiceAfter: after = 0, OutputMaxSize: limit = 0 } = check
  const call = callOf(check)
  const formatInterval = (time: number) => (time === 0 ? zeroText : formatGoDuration(time))
  return {
    namespace: identity.namespace,
    check_id: identity.id,
    name: identity.name,
    status: check.Status || 'critical',
    notes: check.Notes ?? '',
    output: '',
    service_id: service?.id ?? '',
    service_name: service?.name ?? '',
    service_tags: service?.tags ?? [],
    type: typeOf(check),
    interval: formatInterval(Interval),
    timeout: formatInterval(Timeout),
    definition: {},
    ...(TTL > 0 && { ttl: toMilliseconds(TTL) }),
    ...(isAlias(check) && { alias_service: AliasService }),
    ...(isSet(AliasNode) && { alias_node: AliasNode }),
    ...(after > 0 && { deregister_after: toMilliseconds(after) }),
    ...(limit > 0 && { output_limit: limit }),
    ...(call !== undefined && { call }),
  }
}

/** Default maximum size of a check's output in bytes. A longer output is truncated. */
export const outputLimit = 4_096

/** Truncates an output that is longer than `limit` bytes, and adds a note about its length. */
export function cappedOutput(output: string, limit = outputLimit): string {
  const bytes = Buffer.from(output)
  if (bytes.length <= limit) return output
  const start = bytes.subarray(0, limit).toString('utf8')
  return `${start} ... (captured ${limit} of ${bytes.length} bytes)`
}
