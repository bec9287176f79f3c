import { defineMessages, messageTexts } from '../../kernel/refusal.ts'

/** Messages about services and their checks (behaviour/scheduler#validation). */
export const { table: serviceCheckMessages, message } = defineMessages(
  messageTexts({
    'task-service-invalid': 'service[{at}] {name} validation failed: {errors}',
    'group-member-invalid': 'Service[{at}] {name} validation failed: {errors}',
    'check-invalid': 'Check {check} invalid: {error}',
    'service-name-invalid':
      'Service name must be valid per RFC 1123 and can contain only alphanumeric characters or dashes and must be no longer than 63 characters: {name}',
    'service-mode-beside-address': 'Service address_mode must be "auto" if address is set',
    'service-mode-unknown': 'Service address_mode must be "auto", "host", or "driver"; not {mode}',
    'service-update-unknown':
      'Service on_update must be "require_healthy", "ignore_warnings", or "ignore"; not {update}',
    'service-identity-audience': 'Service identity must provide at least one target aud value',
    'service-provider-unknown': 'Service provider must be "mesh", or "sched"; not {provider}',
    'service-provider-connects': 'Service with provider {provider} cannot include Connect blocks',
    'check-port-missing':
      'check requires a port but neither check nor service {service} have a port',
    'service-mode-alloc':
      'service {service} cannot use address_mode="alloc", only services defined in a "group" block can use this mode',
    'service-again': 'service {service} is duplicate',
    'service-connect-in-task':
      'service {service} cannot have "connect" block, only services defined in a "group" block can',
    'port-label-unknown': 'port label {label} referenced by services {services} does not exist',
    'check-again': 'check {check} is duplicate',
    'check-mode-alloc':
      'check {service} cannot use address_mode="alloc", only checks defined in a "group" service block can use this mode',
    'check-port-unnamed': 'check {check} is missing a port',
    'check-port-invalid': 'check {check} has invalid numeric port {port}',
    'check-port-numeric':
      'check {check} cannot use a numeric port {port} without setting address_mode="driver"',
    'services-again': 'Services are not unique: [{services}]',
    'service-providers-mixed':
      'Multiple service providers used: task group services must use the same provider',
    'service-task-foreign':
      'Service {name} is invalid: may only specify task the service belongs to, got {task}',
    'check-task-foreign':
      'Check {name} is invalid: may only specify task the check belongs to, got {task}',
    'service-mode-driver':
      'service {service} cannot use address_mode="driver", only services defined in a "task" block can use this mode',
    'check-mode-driver':
      'cannot use address_mode="driver", only checks defined in a "task" service block can use this mode',
    'check-task-unknown': 'refers to non-existent task {task}',
    'script-task-missing':
      'Service [{group}]->{service} or Check {check} must specify task parameter',

    'check-type-unknown': 'invalid check type ({type}), must be one of {known}',
    'check-path-missing': 'http type must have http path',
    'check-path-invalid': 'http type must have valid http path',
    'check-path-absolute': 'http type must have relative http path',
    'check-script-missing': 'script type must have a valid script path',
    'check-interval-missing': 'missing required value interval. Interval cannot be less than 1s',
    'check-interval-short': 'interval ({interval}) cannot be lower than 1s',
    'check-timeout-missing': 'missing required value timeout. Timeout cannot be less than 1s',
    'check-timeout-short': 'timeout ({timeout}) is lower than required minimum timeout 1s',
    'check-state-unknown':
      'invalid initial check state ({state}), must be one of "passing", "warning", "critical" or empty',
    'check-mode-auto': 'invalid address_mode "auto" - auto only valid for services',
    'check-mode-unknown': 'invalid address_mode {mode}',
    'check-update-unknown':
      'on_update must be "require_healthy", "ignore_warnings", or "ignore"; got {update}',
    'check-update-ignores': 'on_update value "ignore" is not compatible with check_restart',
    'check-update-warnings':
      'on_update value "ignore_warnings" not supported with check_restart ignore_warnings value "false"',
    'check-limit-negative': 'limit must be greater than or equal to 0 but found {limit}',
    'check-grace-negative': 'grace period must be greater than or equal to 0 but found {grace}',
    'check-expose-type': 'expose may only be set on HTTP or gRPC checks',
    'check-threshold-type': '{name} not supported for check of type {type}',
    'check-notes-long': 'notes must not be longer than 255 characters',
    'check-mesh-only': "{what} may only be set for the mesh's service checks",
    'check-warnings-mesh-only':
      "on_update may only be set to ignore_warnings for the mesh's service checks",
    'check-restart-mesh-only':
      "ignore_warnings on check_restart only supported for the mesh's service checks",
    'check-method-unsupported': 'method type {method} not supported in Sched http check',
  }),
)
