import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Integer } from '../../kernel/integers.ts'
import type { Message } from '../../kernel/message.ts'
import type { Check } from '../job/service-shapes.ts'
import { combineErrors, failedChecks } from './errors.ts'
import { message } from './service-messages.ts'

export function requiresPort({ Type }: Check): boolean {
  return ['grpc', 'http', 'tcp'].includes(Type)
}

const minInterval = SECOND

/** HTTP methods that checks of native services may use. An empty method means GET. */
const httpMethods = [
  '',
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'CONNECT',
  'OPTIONS',
  'TRACE',
]

const updateModes = ['', 'require_healthy', 'ignore_warnings', 'ignore']

/**
 * Returns the first error of a check of a service in the mesh, or undefined for a valid check
 * (behaviour/scheduler#validation).
 */
export function meshCheckError(check: Check): Message | undefined {
  const common = checkError(check, ['http', 'tcp', 'grpc', 'script'])
  if (common !== undefined) return common
  const type = check.Type.toLowerCase()
  const isExposable = type === 'http' || type === 'grpc'
  return failedChecks(
    check.Expose === true && !isExposable && message('check-expose-type'),
    ...thresholds(check).map(
      ([name, value]) =>
        value > 0 &&
        !requiresPort(check) &&
        message('check-threshold-type', { name, type: quoteGo(check.Type) }),
    ),
    (check.Notes ?? '').length > 255 && message('check-notes-long'),
  )[0]
}

/**
 * Returns the first error of a check of a native service, or undefined for a valid check. Native
 * services, which the scheduler's own catalogue provides, support fewer types of checks.
 */
export function nativeCheckError(check: Check): Message | undefined {
  const common = checkError(check, ['tcp', 'http'])
  if (common !== undefined) return common
  const meshOnlyError = (field: string) => message('check-mesh-only', { what: field })
  const method = check.Method ?? ''
  return failedChecks(
    check.Expose === true && meshOnlyError('expose'),
    check.OnUpdate === 'ignore_warnings' && message('check-warnings-mesh-only'),
    check.CheckRestart?.IgnoreWarnings === true && message('check-restart-mesh-only'),
    check.AddressMode === 'driver' && meshOnlyError('address_mode = driver'),
    check.Type === 'http' &&
      !httpMethods.includes(method.toUpperCase()) &&
      message('check-method-unsupported', { method: quoteGo(method) }),
    ...thresholds(check).map(([name, value]) => value > 0 && meshOnlyError(name)),
    (check.TLSServerName ?? '') !== '' && meshOnlyError('tls_server_name'),
  )[0]
}

function thresholds(check: Check): readonly (readonly [name: string, value: Integer])[] {
  return [
    ['success_before_passing', check.SuccessBeforePassing ?? 0],
    ['failures_before_critical', check.FailuresBeforeCritical ?? 0],
    ['failures_before_warning', check.FailuresBeforeWarning ?? 0],
  ]
}

function checkError(check: Check, types: readonly string[]): Message | undefined {
  const type = check.Type.toLowerCase()
  if (!types.includes(type)) {
    return message('check-type-unknown', { type: quoteGo(type), known: types.join(', ') })
  }
  const { Interval, Timeout, InitialStatus: state } = check
  return failedChecks(
    ...(type === 'http' ? pathErrors(check.Path) : []),
    type === 'script' && check.Command === '' && message('check-script-missing'),
    Interval === 0 && message('check-interval-missing'),
    Interval < minInterval &&
      message('check-interval-short', { interval: formatGoDuration(Interval) }),
    Timeout === 0 && message('check-timeout-missing'),
    Timeout < minInterval && message('check-timeout-short', { timeout: formatGoDuration(Timeout) }),
    !['', 'passing', 'warning', 'critical'].includes(state) &&
      message('check-state-unknown', { state }),
    ...addressErrors(check.AddressMode ?? ''),
    ...updateErrors(check),
  )[0]
}

type ErrorOrFalse = false | Message

function pathErrors(path: string): readonly ErrorOrFalse[] {
  const isMalformed = /\p{Cc}|%(?![0-9a-fA-F]{2})/u.test(path) || path.startsWith(':')
  return [
    path === '' && message('check-path-missing'),
    isMalformed && message('check-path-invalid'),
    /^[a-z][a-z0-9+\-.]*:/i.test(path) && message('check-path-absolute'),
  ]
}

function addressErrors(mode: string): readonly ErrorOrFalse[] {
  return [
    mode === 'auto' && message('check-mode-auto'),
    !['', 'host', 'driver', 'alloc'].includes(mode) &&
      message('check-mode-unknown', { mode: quoteGo(mode) }),
  ]
}

function updateErrors({ OnUpdate = '', CheckRestart }: Check): readonly ErrorOrFalse[] {
  const unknownUpdateError =
    !updateModes.includes(OnUpdate) &&
    message('check-update-unknown', { update: quoteGo(OnUpdate) })
  if (CheckRestart === undefined || CheckRestart === null) return [unknownUpdateError]
  const { Limit: limit, Grace: grace, IgnoreWarnings } = CheckRestart
  return [
    unknownUpdateError,
    OnUpdate === 'ignore' && message('check-update-ignores'),
    OnUpdate === 'ignore_warnings' && !IgnoreWarnings && message('check-update-warnings'),
    ...combineErrors(
      failedChecks(
        limit < 0 && message('check-limit-negative', { limit }),
        grace < 0 && message('check-grace-negative', { grace }),
      ),
    ),
  ]
}
