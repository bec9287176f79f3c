import { connect } from './connect-blocks.ts'
import { all, definite, many, one, plain, textLists, texts } from './schema.ts'
import { serviceIdentity } from './task-parts.ts'

const checkRestart = one(
  'CheckRestart',
  plain({
    ...definite('int', 'limit'),
    ...all('duration', 'grace'),
    ...definite('bool', 'ignore_warnings'),
  }),
)

const check = many('Checks', {
  arguments: {
    ...definite('string', 'name type command path protocol port->PortLabel initial_status'),
    ...definite('string', 'method body address_mode advertise notes task->TaskName on_update'),
    ...definite('string', 'tls_server_name->TLSServerName grpc_service->GRPCService'),
    ...all('list of string', 'args'),
    ...definite('duration', 'interval timeout'),
    ...definite('bool', 'expose'),
    ...definite('bool', 'tls_skip_verify->TLSSkipVerify grpc_use_tls->GRPCUseTLS'),
    ...definite('int', 'success_before_passing'),
    ...definite('int', 'failures_before_critical failures_before_warning'),
  },
  blocks: { header: one('Header', textLists), check_restart: checkRestart },
})

/** `service` of a group or task (3b-scheduler-decisions.md section 9, Blocks). */
export const service = many('Services', {
  arguments: {
    ...definite('string', 'name port->PortLabel address_mode address provider task->TaskName'),
    ...definite('string', 'on_update cluster kind'),
    ...all('list of string', 'tags canary_tags'),
    ...definite('bool', 'enable_tag_override'),
  },
  blocks: {
    check,
    check_restart: checkRestart,
    connect,
    meta: one('Meta', texts),
    canary_meta: one('CanaryMeta', texts),
    tagged_addresses: one('TaggedAddresses', texts),
    identity: serviceIdentity,
    weights: one('Weights', plain(definite('int', 'passing warning'))),
  },
})
