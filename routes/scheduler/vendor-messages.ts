import type { WordingOf } from '../../state/kernel/refusal.ts'
import type { clientMessages } from '../../state/scheduler/client/messages.ts'
import type { schedulingMessages } from '../../state/scheduler/validation/scheduling-messages.ts'
import type { serviceCheckMessages } from '../../state/scheduler/validation/service-messages.ts'
import type { taskMessages } from '../../state/scheduler/validation/task-messages.ts'
import type { warningMessages } from '../../state/scheduler/validation/warnings.ts'

/** Messages for which the vendor has its own wording (behaviour/scheduler#vendor-names). */
export const vendorMessages = {
  'restart-impossible':
    "Nomad can't restart the TaskGroup {attempts} times in an interval of {interval} with a delay of {delay}",
  'reschedule-attempts-constant':
    'Nomad can only make {attempts} attempts in {interval} with initial delay {delay} and delay function {function}',
  'reschedule-attempts-growing':
    'Nomad can only make {attempts} attempts in {interval} with initial delay {delay}, delay function {function}, and delay ceiling {ceiling}',

  'service-provider-unknown': 'Service provider must be "consul", or "nomad"; not {provider}',
  'check-mesh-only': '{what} may only be set for Consul service checks',
  'check-warnings-mesh-only':
    'on_update may only be set to ignore_warnings for Consul service checks',
  'check-restart-mesh-only':
    'ignore_warnings on check_restart only supported for Consul service checks',
  'check-method-unsupported': 'method type {method} not supported in Nomad http check',

  'secrets-invalid': 'Vault validation failed: {errors}',
  'secrets-not-enabled': 'Vault {cluster} not enabled but used in the job',
  'secrets-policies-empty': 'Task {task} has a Vault block with an empty list of policies',

  'numa-enterprise': 'numa scheduling requires Nomad Enterprise',

  'mbits-deprecated':
    'mbits has been deprecated as of Nomad 0.12.0. Please remove mbits from the network block',
  'iops-deprecated':
    'IOPS has been deprecated as of Nomad 0.9.0. Please remove IOPS from resource block.',
  'task-networks-deprecated':
    'task network resources have been deprecated as of Nomad 0.12.0. Please configure networking via group network block.',

  'file-absent': '{call} /var/lib/nomad/alloc/{id}/{path}: no such file or directory',
  'folder-is-file': 'readdirent /var/lib/nomad/alloc/{id}/{path}: not a directory',
} satisfies WordingOf<
  typeof clientMessages &
    typeof schedulingMessages &
    typeof serviceCheckMessages &
    typeof taskMessages &
    typeof warningMessages
>
