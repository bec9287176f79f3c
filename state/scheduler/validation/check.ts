import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Check } from '../job/service-shapes.ts'
import { failing, nested } from './errors.ts'

/** Checks that ask something of a port. */
export function requiresPort({ Type }: Check): boolean {
  return ['grpc', 'http', 'tcp'].includes(Type)
}

const shortest = SECOND

/** What the scheduler itself may ask with; none is GET. */
const methods = ['', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE']

const updateModes = ['', 'require_healthy', 'ignore_warnings', 'ignore']

/**
 * The first thing wrong with a check of a service in the mesh; undefined for nothing
 * (3b-scheduler-decisions.md section 5, service).
 */
export function meshCheckError(check: Check): string | undefined {
  const common = checkError(check, ['http', 'tcp', 'grpc', 'script'])
  if (common !== undefined) return common
  const type = check.Type.toLowerCase()
  const isExposable = type === 'http' || type === 'grpc'
  return failing(
    [check.Expose === true && !isExposable, 'expose may only be set on HTTP or gRPC checks'],
    ...thresholds(check).map(([name, value]): [boolean, string] => [
      value > 0 && !requiresPort(check),
      `${name} not supported for check of type ${quoteGo(check.Type)}`,
    ]),
    [(check.Notes ?? '').length > 255, 'notes must not be longer than 255 characters'],
  )[0]
}

/** The same for a service of the scheduler itself, which offers less. */
export function ownCheckError(check: Check): string | undefined {
  const common = checkError(check, ['tcp', 'http'])
  if (common !== undefined) return common
  const meshOnly = (name: string) => `${name} may only be set for the mesh's service checks`
  return failing(
    [check.Expose === true, meshOnly('expose')],
    [
      check.OnUpdate === 'ignore_warnings',
      "on_update may only be set to ignore_warnings for the mesh's service checks",
    ],
    [
      check.CheckRestart?.IgnoreWarnings === true,
      "ignore_warnings on check_restart only supported for the mesh's service checks",
    ],
    [check.AddressMode === 'driver', meshOnly('address_mode = driver')],
    [
      check.Type === 'http' && !methods.includes((check.Method ?? '').toUpperCase()),
      `method type ${quoteGo(check.Method ?? '')} not supported in Sched http check`,
    ],
    ...thresholds(check).map(([name, value]): [boolean, string] => [value > 0, meshOnly(name)]),
    [(check.TLSServerName ?? '') !== '', meshOnly('tls_server_name')],
  )[0]
}

function thresholds(check: Check): readonly (readonly [name: string, value: number])[] {
  return [
    ['success_before_passing', check.SuccessBeforePassing ?? 0],
    ['failures_before_critical', check.FailuresBeforeCritical ?? 0],
    ['failures_before_warning', check.FailuresBeforeWarning ?? 0],
  ]
}

function checkError(check: Check, types: readonly string[]): string | undefined {
  const type = check.Type.toLowerCase()
  if (!types.includes(type)) {
    return `invalid check type (${quoteGo(type)}), must be one of ${types.join(', ')}`
  }
  const { Interval, Timeout, InitialStatus } = check
  return failing(
    ...(type === 'http' ? pathChecks(check.Path) : []),
    [type === 'script' && check.Command === '', 'script type must have a valid script path'],
    [Interval === 0, 'missing required value interval. Interval cannot be less than 1s'],
    [Interval < shortest, `interval (${formatGoDuration(Interval)}) cannot be lower than 1s`],
    [Timeout === 0, 'missing required value timeout. Timeout cannot be less than 1s'],
    [
      Timeout < shortest,
      `timeout (${formatGoDuration(Timeout)}) is lower than required minimum timeout 1s`,
    ],
    [
      !['', 'passing', 'warning', 'critical'].includes(InitialStatus),
      `invalid initial check state (${InitialStatus}), must be one of "passing", "warning", ` +
        '"critical" or empty',
    ],
    ...addressChecks(check.AddressMode ?? ''),
    ...updateChecks(check),
  )[0]
}

type Condition = readonly [isWrong: boolean, text: string]

function pathChecks(path: string): readonly Condition[] {
  return [
    [path === '', 'http type must have http path'],
    [
      /\p{Cc}|%(?![0-9a-fA-F]{2})/u.test(path) || path.startsWith(':'),
      'http type must have valid http path',
    ],
    [/^[a-z][a-z0-9+\-.]*:/i.test(path), 'http type must have relative http path'],
  ]
}

function addressChecks(mode: string): readonly Condition[] {
  return [
    [mode === 'auto', 'invalid address_mode "auto" - auto only valid for services'],
    [
      !['', 'host', 'driver', 'alloc', 'alloc_ipv6'].includes(mode),
      `invalid address_mode ${quoteGo(mode)}`,
    ],
  ]
}

function updateChecks({ OnUpdate = '', CheckRestart }: Check): readonly Condition[] {
  const isKnown: Condition = [
    !updateModes.includes(OnUpdate),
    'on_update must be "require_healthy", "ignore_warnings", or "ignore"; got ' + quoteGo(OnUpdate),
  ]
  if (CheckRestart === undefined || CheckRestart === null) return [isKnown]
  const { Limit, Grace, IgnoreWarnings } = CheckRestart
  const restartErrors = nested(
    failing(
      [Limit < 0, `limit must be greater than or equal to 0 but found ${Limit}`],
      [Grace < 0, `grace period must be greater than or equal to 0 but found ${Grace}`],
    ),
  )
  return [
    isKnown,
    [OnUpdate === 'ignore', 'on_update value "ignore" is not compatible with check_restart'],
    [
      OnUpdate === 'ignore_warnings' && !IgnoreWarnings,
      'on_update value "ignore_warnings" not supported with check_restart ignore_warnings value ' +
        '"false"',
    ],
    [restartErrors.length > 0, restartErrors.join('')],
  ]
}
