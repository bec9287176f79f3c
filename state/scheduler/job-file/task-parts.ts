import { deviceShape, resourcesShape } from '../job/scheduling-shapes.ts'
import {
  artifactShape,
  changeScriptShape,
  logConfigShape,
  secretsShape,
  templateShape,
  volumeMountShape,
} from '../job/task-shape.ts'
import { affinity, constraint, network } from './scheduling-blocks.ts'
import { all, definite, labelled, many, one, plain } from './schema.ts'
import { tableOf } from './table.ts'

const device = tableOf(deviceShape, { blocks: { constraint, affinity } })

/** `resources` of a task. */
export const resources = one(
  'Resources',
  tableOf(resourcesShape, {
    blocks: {
      network,
      device: many('Devices', device, labelled('', 'Name')),
      numa: one(
        'NUMA',
        plain({ ...definite('string', 'affinity'), ...all('list of string', 'devices') }),
      ),
    },
  }),
)

/** `logs` of a task. */
export const logs = one('LogConfig', tableOf(logConfigShape))

/** `volume_mount` of a task. */
export const volumeMount = many('VolumeMounts', tableOf(volumeMountShape))

const identityArguments = plain({
  ...definite('string', 'name change_mode change_signal filepath service_name'),
  ...all('list of string', 'aud->Audience'),
  ...definite('bool', 'env file'),
  ...definite('duration', 'ttl->TTL'),
})
/** `identity` of a task. */
export const identity = many('Identities', identityArguments)
/** `identity` of a service. */
export const serviceIdentity = one('Identity', identityArguments)

/** `artifact` of a task. */
export const artifact = many('Artifacts', tableOf(artifactShape))

const SPLAY = 5_000_000_000

const changeScript = tableOf(changeScriptShape, {
  defaults: { Args: [], Timeout: SPLAY, FailOnError: false },
})

/** `template` of a task. */
export const template = many(
  'Templates',
  tableOf(templateShape, {
    blocks: { change_script: one('ChangeScript', changeScript) },
    // Without effect for long, but read.
    arguments: { secrets_grace: { type: 'duration', member: undefined, vendor: 'vault_grace' } },
    defaults: { ChangeMode: 'restart', Perms: '0644', Splay: SPLAY },
  }),
)

/** `secrets` of a job, group or task: what it may have of the secrets service. */
export const secrets = one(
  'Secrets',
  tableOf(secretsShape, { defaults: { Env: true, ChangeMode: 'restart' } }),
  { vendor: 'vault' },
)

/** `mesh` of a group or task. */
export const mesh = one('Mesh', plain(definite('string', 'namespace cluster partition')), {
  vendor: 'consul',
})

/** `action` of a task. */
export const action = many(
  'Actions',
  plain({
    ...all('string', 'command', { definite: true, required: true }),
    ...all('list of string', 'args'),
  }),
  labelled('name', 'Name'),
)

/** `schedule` of a task. */
export const schedule = one('Schedule', {
  arguments: {},
  blocks: { cron: one('Cron', plain(definite('string', 'start end timezone'))) },
})
