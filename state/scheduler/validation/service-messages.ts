import { defineMessages } from '../../kernel/refusal.ts'

/** Messages about services and their checks (behaviour/scheduler#validation, service). */
export const { table: serviceCheckMessages, message } = defineMessages({
  'task-service-invalid': { text: 'service[{at}] {name} validation failed: {errors}' },
  'group-member-invalid': { text: 'Service[{at}] {name} validation failed: {errors}' },
  'check-invalid': { text: 'Check {check} invalid: {error}' },
  'service-name-invalid': {
    text: 'Service name must be valid per RFC 1123 and can contain only alphanumeric characters or dashes and must be no longer than 63 characters: {name}',
  },
  'service-mode-beside-address': {
    text: 'Service address_mode must be "auto" if address is set',
  },
  'service-mode-unknown': {
    text: 'Service address_mode must be "auto", "host", or "driver"; not {mode}',
  },
  'service-update-unknown': {
    text: 'Service on_update must be "require_healthy", "ignore_warnings", or "ignore"; not {update}',
  },
  'service-identity-audience': {
    text: 'Service identity must provide at least one target aud value',
  },
  'service-provider-unknown': {
    text: 'Service provider must be "mesh", or "sched"; not {provider}',
  },
  'service-provider-connects': {
    text: 'Service with provider {provider} cannot include Connect blocks',
  },
  'check-port-missing': {
    text: 'check requires a port but neither check nor service {service} have a port',
  },
  'service-mode-alloc': {
    text: 'service {service} cannot use address_mode="alloc", only services defined in a "group" block can use this mode',
  },
  'service-again': { text: 'service {service} is duplicate' },
  'service-connect-in-task': {
    text: 'service {service} cannot have "connect" block, only services defined in a "group" block can',
  },
  'port-label-unknown': {
    text: 'port label {label} referenced by services {services} does not exist',
  },
  'check-again': { text: 'check {check} is duplicate' },
  'check-mode-alloc': {
    text: 'check {service} cannot use address_mode="alloc", only checks defined in a "group" service block can use this mode',
  },
  'check-port-unnamed': { text: 'check {check} is missing a port' },
  'check-port-invalid': { text: 'check {check} has invalid numeric port {port}' },
  'check-port-numeric': {
    text: 'check {check} cannot use a numeric port {port} without setting address_mode="driver"',
  },
  'services-again': { text: 'Services are not unique: [{services}]' },
  'service-providers-mixed': {
    text: 'Multiple service providers used: task group services must use the same provider',
  },
  'service-task-foreign': {
    text: 'Service {name} is invalid: may only specify task the service belongs to, got {task}',
  },
  'check-task-foreign': {
    text: 'Check {name} is invalid: may only specify task the check belongs to, got {task}',
  },
  'service-mode-driver': {
    text: 'service {service} cannot use address_mode="driver", only services defined in a "task" block can use this mode',
  },
  'check-mode-driver': {
    text: 'cannot use address_mode="driver", only checks defined in a "task" service block can use this mode',
  },
  'check-task-unknown': { text: 'refers to non-existent task {task}' },
  'script-task-missing': {
    text: 'Service [{group}]->{service} or Check {check} must specify task parameter',
  },

  'check-type-unknown': { text: 'invalid check type ({type}), must be one of {known}' },
  'check-path-missing': { text: 'http type must have http path' },
  'check-path-invalid': { text: 'http type must have valid http path' },
  'check-path-absolute': { text: 'http type must have relative http path' },
  'check-script-missing': { text: 'script type must have a valid script path' },
  'check-interval-missing': {
    text: 'missing required value interval. Interval cannot be less than 1s',
  },
  'check-interval-short': { text: 'interval ({interval}) cannot be lower than 1s' },
  'check-timeout-missing': {
    text: 'missing required value timeout. Timeout cannot be less than 1s',
  },
  'check-timeout-short': {
    text: 'timeout ({timeout}) is lower than required minimum timeout 1s',
  },
  'check-state-unknown': {
    text: 'invalid initial check state ({state}), must be one of "passing", "warning", "critical" or empty',
  },
  'check-mode-auto': { text: 'invalid address_mode "auto" - auto only valid for services' },
  'check-mode-unknown': { text: 'invalid address_mode {mode}' },
  'check-update-unknown': {
    text: 'on_update must be "require_healthy", "ignore_warnings", or "ignore"; got {update}',
  },
  'check-update-ignores': {
    text: 'on_update value "ignore" is not compatible with check_restart',
  },
  'check-update-warnings': {
    text: 'on_update value "ignore_warnings" not supported with check_restart ignore_warnings value "false"',
  },
  'check-limit-negative': {
    text: 'limit must be greater than or equal to 0 but found {limit}',
  },
  'check-grace-negative': {
    text: 'grace period must be greater than or equal to 0 but found {grace}',
  },
  'check-expose-type': { text: 'expose may only be set on HTTP or gRPC checks' },
  'check-threshold-type': { text: '{name} not supported for check of type {type}' },
  'check-notes-long': { text: 'notes must not be longer than 255 characters' },
  'check-mesh-only': { text: "{what} may only be set for the mesh's service checks" },
  'check-warnings-mesh-only': {
    text: "on_update may only be set to ignore_warnings for the mesh's service checks",
  },
  'check-restart-mesh-only': {
    text: "ignore_warnings on check_restart only supported for the mesh's service checks",
  },
  'check-method-unsupported': {
    text: 'method type {method} not supported in Sched http check',
  },
})
